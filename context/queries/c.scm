; What a C file defines, includes and uses. Prototypes count as definitions, locals do not.
(function_definition declarator: [
  (_ declarator: (identifier) @name)
  (_ declarator: (_ declarator: (identifier) @name))
  (_ declarator: (_ declarator: (_ declarator: (identifier) @name)))
  (_ declarator: (parenthesized_declarator (identifier) @name))
  (_ declarator: (parenthesized_declarator (_ declarator: (_ declarator: (identifier) @name))))]) @definition.function
(struct_specifier name: (type_identifier) @name body: (_)) @definition.struct
(union_specifier name: (type_identifier) @name body: (_)) @definition.struct
(enum_specifier name: (type_identifier) @name body: (_)) @definition.enum
(enumerator name: (identifier) @name) @definition.enum_member
(type_definition type: (struct_specifier !name body: (_)) declarator: (type_identifier) @name) @definition.struct
(type_definition type: (union_specifier !name body: (_)) declarator: (type_identifier) @name) @definition.struct
(type_definition type: (enum_specifier !name body: (_)) declarator: (type_identifier) @name) @definition.enum
(type_definition type: [
  (type_identifier) (primitive_type) (sized_type_specifier) (macro_type_specifier)
  (struct_specifier !body) (union_specifier !body) (enum_specifier !body)
] declarator: (type_identifier) @name) @definition.type
(type_definition type: (struct_specifier name: (_) @_tag body: (_)) declarator: (type_identifier) @name (#not-eq? @_tag @name)) @definition.type
(type_definition type: (union_specifier name: (_) @_tag body: (_)) declarator: (type_identifier) @name (#not-eq? @_tag @name)) @definition.type
(type_definition type: (enum_specifier name: (_) @_tag body: (_)) declarator: (type_identifier) @name (#not-eq? @_tag @name)) @definition.type
(type_definition declarator: [
  (pointer_declarator declarator: (type_identifier) @name)
  (pointer_declarator declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (type_identifier) @name))))
  (array_declarator declarator: (type_identifier) @name)
  (function_declarator declarator: (type_identifier) @name)
  (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (type_identifier) @name)))
]) @definition.type
(field_declaration declarator: [
  (field_identifier) @name
  (_ declarator: (field_identifier) @name)
  (_ declarator: (_ declarator: (field_identifier) @name))
  (_ declarator: (parenthesized_declarator (_ declarator: (field_identifier) @name)))
  (_ declarator: (_ declarator: (parenthesized_declarator (_ declarator: (field_identifier) @name))))
  (_ declarator: (parenthesized_declarator (_ declarator: (_ declarator: (field_identifier) @name))))]) @definition.field
(preproc_def name: (identifier) @name value: (_)) @definition.macro
((preproc_def name: (identifier) @name !value) @definition.macro (#not-match? @name "_(H|HH|HPP|HXX|INL|INCLUDED)_*$"))
(preproc_function_def name: (identifier) @name) @definition.macro
; Prototypes, then globals: those of a file, or in `extern "C" {}`, and no locals. Conditions are blanked before.
(translation_unit (declaration declarator: [
  (function_declarator declarator: (identifier) @name)
  (_ declarator: (function_declarator declarator: (identifier) @name))
  (_ declarator: (_ declarator: (function_declarator declarator: (identifier) @name)))]) @definition.function)
(declaration_list (declaration declarator: [
  (function_declarator declarator: (identifier) @name)
  (_ declarator: (function_declarator declarator: (identifier) @name))
  (_ declarator: (_ declarator: (function_declarator declarator: (identifier) @name)))]) @definition.function)
(linkage_specification (declaration declarator: [
  (function_declarator declarator: (identifier) @name)
  (_ declarator: (function_declarator declarator: (identifier) @name))
  (_ declarator: (_ declarator: (function_declarator declarator: (identifier) @name)))]) @definition.function)
(translation_unit (declaration declarator: [
  (identifier) @name
  (_ declarator: (identifier) @name)
  (_ declarator: (_ declarator: (identifier) @name))
  (_ declarator: (_ declarator: (_ declarator: (identifier) @name)))
  (_ declarator: (parenthesized_declarator (_ declarator: (identifier) @name)))
  (_ declarator: (_ declarator: (parenthesized_declarator (_ declarator: (identifier) @name))))]) @definition.variable)
(declaration_list (declaration declarator: [
  (identifier) @name
  (_ declarator: (identifier) @name)
  (_ declarator: (_ declarator: (identifier) @name))
  (_ declarator: (_ declarator: (_ declarator: (identifier) @name)))
  (_ declarator: (parenthesized_declarator (_ declarator: (identifier) @name)))
  (_ declarator: (_ declarator: (parenthesized_declarator (_ declarator: (identifier) @name))))]) @definition.variable)
(translation_unit (declaration (type_qualifier "const") declarator: (init_declarator declarator: [
  (identifier) @name
  (array_declarator declarator: (identifier) @name)])) @definition.constant)

(preproc_include path: (_) @import)

(call_expression function: (identifier) @call)
(call_expression function: (field_expression argument: (_) @call.of field: (field_identifier) @call))
(call_expression function: (parenthesized_expression (identifier) @call))

(type_identifier) @reference
(attribute_specifier (argument_list (identifier) @decorator))
(comment) @comment
