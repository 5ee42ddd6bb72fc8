; What a Java file defines, imports and uses.
(class_declaration name: (identifier) @name) @definition.class
(record_declaration name: (identifier) @name) @definition.class
(interface_declaration name: (identifier) @name) @definition.interface
(annotation_type_declaration name: (identifier) @name) @definition.annotation
(enum_declaration name: (identifier) @name) @definition.enum
(enum_constant name: (identifier) @name) @definition.enum_member
(method_declaration name: (identifier) @name) @definition.method
(annotation_type_element_declaration name: (identifier) @name) @definition.method
(constructor_declaration name: (identifier) @name) @definition.constructor
(compact_constructor_declaration name: (identifier) @name) @definition.constructor
(field_declaration declarator: (variable_declarator name: (identifier) @name)) @definition.field
(field_declaration (modifiers "static" "final") declarator: (variable_declarator name: (identifier) @name)) @definition.constant
(constant_declaration declarator: (variable_declarator name: (identifier) @name)) @definition.constant
(record_declaration parameters: (formal_parameters (formal_parameter name: (identifier) @name) @definition.field))
(module_declaration name: (_) @name) @definition.module

(package_declaration [(scoped_identifier) (identifier)] @fact.package)
(import_declaration [(scoped_identifier) (identifier)] @import)
(import_declaration [(scoped_identifier) (identifier)] @import (asterisk) @import.name)
(requires_module_directive module: (_) @import)

(superclass [
  (type_identifier) @inherits
  (scoped_type_identifier (type_identifier) @inherits .)
  (generic_type . [(type_identifier) @inherits (scoped_type_identifier (type_identifier) @inherits .)])])
(extends_interfaces (type_list [
  (type_identifier) @inherits
  (scoped_type_identifier (type_identifier) @inherits .)
  (generic_type . [(type_identifier) @inherits (scoped_type_identifier (type_identifier) @inherits .)])]))
(super_interfaces (type_list [
  (type_identifier) @implements
  (scoped_type_identifier (type_identifier) @implements .)
  (generic_type . [(type_identifier) @implements (scoped_type_identifier (type_identifier) @implements .)])]))

(method_invocation name: (identifier) @call !object)
(method_invocation object: (_) @call.of name: (identifier) @call)
(method_reference (_) @call.of . (identifier) @call)
(object_creation_expression type: [
  (type_identifier) @call
  (scoped_type_identifier (type_identifier) @call .)
  (generic_type . [(type_identifier) @call (scoped_type_identifier (type_identifier) @call .)])])
((type_identifier) @reference
  (#not-match? @reference "^(Boolean|Byte|Character|Class|Double|Float|Integer|Long|Object|Short|String|Void|[A-Z]|var)$"))
(field_access object: (identifier) @reference.of field: (identifier) @reference (#match? @reference.of "^[A-Z]"))
(marker_annotation name: (_) @decorator)
(annotation name: (_) @decorator)

(line_comment) @comment
(block_comment) @comment
