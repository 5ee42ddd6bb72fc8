; What a Kotlin file defines, imports and uses.
(package_header (identifier) @name) @definition.package
(class_declaration "interface" (type_identifier) @name) @definition.interface
(class_declaration "enum" (type_identifier) @name) @definition.enum
(class_declaration (modifiers (class_modifier "annotation")) (type_identifier) @name) @definition.annotation
(class_declaration "class" (type_identifier) @name) @definition.class
(object_declaration (type_identifier) @name) @definition.object
(companion_object (type_identifier) @name) @definition.object
(enum_entry (simple_identifier) @name) @definition.enum_member
(type_alias (type_identifier) @name) @definition.type
(function_declaration !receiver (simple_identifier) @name) @definition.function
(function_declaration receiver: (receiver_type [
  (user_type (type_identifier) @container . (type_arguments)? .)
  (nullable_type (user_type (type_identifier) @container . (type_arguments)? .))
  (parenthesized_type)]) (simple_identifier) @name) @definition.function
(secondary_constructor "constructor" @name) @definition.constructor
(class_parameter (binding_pattern_kind) (simple_identifier) @name) @definition.property
(source_file (property_declaration [(variable_declaration . (simple_identifier) @name) (multi_variable_declaration (variable_declaration . (simple_identifier) @name))]) @definition.property)
(class_body (property_declaration [(variable_declaration . (simple_identifier) @name) (multi_variable_declaration (variable_declaration . (simple_identifier) @name))]) @definition.property)
; An accessor on a line of its own stands beside its property.
(class_body (property_declaration (variable_declaration . (simple_identifier) @name)) @definition.property . [(getter) (setter)] @definition.property)
(class_body (property_declaration (variable_declaration . (simple_identifier) @name)) @definition.property . (getter) . (setter) @definition.property)
(source_file (property_declaration (variable_declaration . (simple_identifier) @name)) @definition.property . [(getter) (setter)] @definition.property)
(enum_class_body (property_declaration (variable_declaration . (simple_identifier) @name)) @definition.property)
(ERROR (property_declaration (variable_declaration . (simple_identifier) @name)) @definition.property)
(property_declaration (modifiers (property_modifier)) (variable_declaration . (simple_identifier) @name)) @definition.constant
; `class A : B by b {` is read as a call with a lambda, which then holds the members.
(explicit_delegation (call_expression (call_suffix (annotated_lambda (lambda_literal (statements
  (property_declaration (variable_declaration . (simple_identifier) @name)) @definition.property))))))

(import_header (identifier) @import)
(import_header (identifier (simple_identifier) @import.name .) @import (import_alias) @import.name)
(import_header (identifier) @import (wildcard_import) @import.name)

(call_expression . (simple_identifier) @call)
(call_expression . (navigation_expression . (_) @call.of (navigation_suffix (simple_identifier) @call)))
(infix_expression . (_) . (simple_identifier) @call)
(callable_reference . (simple_identifier) @reference)
(callable_reference (type_identifier) @reference.of (simple_identifier) @reference)
(callable_reference . (type_identifier) @reference .)
; `Color.RED`: by custom only a type, or a constant of it, is written so.
((navigation_expression . (simple_identifier) @reference.of (navigation_suffix (simple_identifier) @reference)) (#match? @reference.of "^[A-Z]"))

(class_declaration "class" (delegation_specifier (constructor_invocation (user_type (type_identifier) @inherits . (type_arguments)? .))))
(class_declaration "class" (delegation_specifier (user_type (type_identifier) @implements . (type_arguments)? .)))
(class_declaration "class" (delegation_specifier (explicit_delegation (user_type (type_identifier) @implements . (type_arguments)? .))))
(class_declaration "interface" (delegation_specifier (user_type (type_identifier) @inherits . (type_arguments)? .)))
(object_declaration (delegation_specifier (constructor_invocation (user_type (type_identifier) @inherits . (type_arguments)? .))))
(object_declaration (delegation_specifier (user_type (type_identifier) @implements . (type_arguments)? .)))
(companion_object (delegation_specifier (constructor_invocation (user_type (type_identifier) @inherits . (type_arguments)? .))))
(companion_object (delegation_specifier (user_type (type_identifier) @implements . (type_arguments)? .)))
(user_type (type_identifier) @reference)

(class_declaration (modifiers (annotation [(user_type (type_identifier) @decorator .) (constructor_invocation (user_type (type_identifier) @decorator .))])))
(object_declaration (modifiers (annotation [(user_type (type_identifier) @decorator .) (constructor_invocation (user_type (type_identifier) @decorator .))])))
(function_declaration (modifiers (annotation [(user_type (type_identifier) @decorator .) (constructor_invocation (user_type (type_identifier) @decorator .))])))
(property_declaration (modifiers (annotation [(user_type (type_identifier) @decorator .) (constructor_invocation (user_type (type_identifier) @decorator .))])))
(class_parameter (modifiers (annotation [(user_type (type_identifier) @decorator .) (constructor_invocation (user_type (type_identifier) @decorator .))])))
(secondary_constructor (modifiers (annotation [(user_type (type_identifier) @decorator .) (constructor_invocation (user_type (type_identifier) @decorator .))])))
(type_alias (modifiers (annotation [(user_type (type_identifier) @decorator .) (constructor_invocation (user_type (type_identifier) @decorator .))])))
(enum_entry (modifiers (annotation [(user_type (type_identifier) @decorator .) (constructor_invocation (user_type (type_identifier) @decorator .))])))
[(line_comment) (multiline_comment)] @comment
