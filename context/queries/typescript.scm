; inherits: script
; What only TypeScript has.
(class_declaration name: (type_identifier) @name) @definition.class
(abstract_class_declaration name: (type_identifier) @name) @definition.class
(interface_declaration name: (type_identifier) @name) @definition.interface
(type_alias_declaration name: (type_identifier) @name) @definition.type
(enum_declaration name: (identifier) @name) @definition.enum
(enum_body name: (_) @name @definition.enum_member)
(enum_assignment name: (_) @name) @definition.enum_member
(internal_module name: (_) @name) @definition.namespace
(module name: (_) @name) @definition.namespace
(function_signature name: (identifier) @name) @definition.function
(abstract_method_signature name: (_) @name) @definition.method
(method_signature name: (_) @name) @definition.method
(interface_body (property_signature name: (_) @name) @definition.property)
(type_alias_declaration value: [
  (object_type (property_signature name: (_) @name) @definition.property)
  (_ (object_type (property_signature name: (_) @name) @definition.property))])
(public_field_definition name: (_) @name) @definition.field
(public_field_definition name: (_) @name value: [(arrow_function) (function_expression)]) @definition.method
; A parameter of the constructor with an accessibility is a field of the class.
(required_parameter ["readonly" (accessibility_modifier)] pattern: (identifier) @name) @definition.field
(optional_parameter ["readonly" (accessibility_modifier)] pattern: (identifier) @name) @definition.field

(ambient_declaration (_ (variable_declarator name: (identifier) @name) @definition.variable))
(internal_module body: (statement_block [
  (_ (variable_declarator name: (identifier) @name) @definition.variable)
  (lexical_declaration kind: "const" (variable_declarator name: (identifier) @name) @definition.constant)]))
(module body: (statement_block [
  (_ (variable_declarator name: (identifier) @name) @definition.variable)
  (lexical_declaration kind: "const" (variable_declarator name: (identifier) @name) @definition.constant)]))

(import_statement (import_require_clause (identifier) @import.name source: (string) @import))
(export_statement "=" (identifier) @export)

(extends_clause value: [
  (identifier) @inherits
  (member_expression property: (property_identifier) @inherits)
  (call_expression arguments: (arguments (identifier) @inherits))])
(extends_type_clause type: [
  (type_identifier) @inherits
  (nested_type_identifier name: (type_identifier) @inherits)
  (generic_type name: [(type_identifier) @inherits (nested_type_identifier name: (type_identifier) @inherits)])])
(implements_clause [
  (type_identifier) @implements
  (nested_type_identifier name: (type_identifier) @implements)
  (generic_type name: [(type_identifier) @implements (nested_type_identifier name: (type_identifier) @implements)])])
((type_identifier) @reference (#not-match? @reference "^(Array|Partial|Promise|Readonly|Record|bigint|[A-Za-z])$"))
(nested_type_identifier module: (_) @reference.of name: (type_identifier) @reference)
