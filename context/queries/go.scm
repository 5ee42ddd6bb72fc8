; What a Go file defines, imports and uses.
(function_declaration name: (identifier) @name) @definition.function
(method_declaration
  receiver: (parameter_list (parameter_declaration type: [
    (type_identifier) @container
    (pointer_type (type_identifier) @container)
    (generic_type type: (type_identifier) @container)
    (pointer_type (generic_type type: (type_identifier) @container))]))
  name: (field_identifier) @name) @definition.method
(type_spec name: (type_identifier) @name type: (struct_type)) @definition.struct
(type_spec name: (type_identifier) @name type: (interface_type)) @definition.interface
(type_spec name: (type_identifier) @name type: [
  (type_identifier) (qualified_type) (function_type) (map_type) (slice_type) (array_type) (channel_type) (pointer_type)
  (generic_type) (parenthesized_type)]) @definition.type
(type_alias name: (type_identifier) @name) @definition.type
(type_spec type: (interface_type (method_elem name: (field_identifier) @name) @definition.method))
(type_spec type: (struct_type (field_declaration_list [
  (field_declaration name: (field_identifier) @name) @definition.field
  (field_declaration type: (struct_type (field_declaration_list
    (field_declaration name: (field_identifier) @name) @definition.field)))])))
; An embedded type is a field by its own name, and lends its methods.
(type_spec type: (struct_type (field_declaration_list (field_declaration !name type: [
  (type_identifier) @name
  (qualified_type name: (type_identifier) @name)
  (generic_type type: [(type_identifier) @name (qualified_type name: (type_identifier) @name)])]) @definition.field)))
(type_spec type: (struct_type (field_declaration_list (field_declaration !name type: [
  (type_identifier) @inherits
  (qualified_type name: (type_identifier) @inherits)
  (generic_type type: [(type_identifier) @inherits (qualified_type name: (type_identifier) @inherits)])]))))
(type_spec type: (interface_type (type_elem . [
  (type_identifier) @inherits
  (qualified_type name: (type_identifier) @inherits)
  (generic_type type: (type_identifier) @inherits)] .)))
(source_file (const_declaration (const_spec (identifier) @name) @definition.constant) (#not-eq? @name "_"))
(source_file (var_declaration [
  (var_spec name: (identifier) @name) @definition.variable
  (var_spec_list (var_spec name: (identifier) @name) @definition.variable)]) (#not-eq? @name "_"))

(package_clause (package_identifier) @fact.package)
(import_spec path: (_) @import)
(import_spec name: (_) @import.name path: (_) @import)

((call_expression function: (identifier) @call) (#not-match? @call
  "^(append|bool|byte|cap|close|copy|delete|error|float(32|64)|len|make|max|min|new|panic|recover|rune|string|u?int(8|16|32|64)?)$"))
(call_expression function: (selector_expression operand: (_) @call.of field: (field_identifier) @call))
((type_identifier) @reference
  (#not-match? @reference "^(any|bool|byte|comparable|error|float32|float64|rune|string|u?int(8|16|32|64)?|uintptr|[A-Z])$"))
(qualified_type package: (package_identifier) @reference.of name: (type_identifier) @reference)

(comment) @comment

; Commands of cobra and of urfave/cli; the table of a model of gorm.
((composite_literal type: [(type_identifier) @_type (qualified_type name: (type_identifier) @_type)]
  body: (literal_value (keyed_element
    key: (literal_element (identifier) @_key) value: (literal_element (interpreted_string_literal) @fact.command))))
  (#eq? @_type "Command") (#any-of? @_key "Use" "Name"))
((method_declaration name: (field_identifier) @_name body: (block (statement_list
  (return_statement (expression_list (interpreted_string_literal) @fact.schema))))) (#eq? @_name "TableName"))
