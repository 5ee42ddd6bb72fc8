; What a TypeScript or TSX file defines, imports and uses.
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
(class_body (method_signature name: (_) @name) @definition.method)
(interface_body [
  (method_signature name: (_) @name) @definition.method
  (property_signature name: (_) @name) @definition.property])
(type_alias_declaration value: [
  (object_type [
    (method_signature name: (_) @name) @definition.method
    (property_signature name: (_) @name) @definition.property])
  (_ (object_type [
    (method_signature name: (_) @name) @definition.method
    (property_signature name: (_) @name) @definition.property]))])
(function_declaration name: (identifier) @name) @definition.function
(generator_function_declaration name: (identifier) @name) @definition.function
(method_definition name: (_) @name) @definition.method
(class_body (method_definition name: (property_identifier) @name) @definition.constructor (#eq? @name "constructor"))
(public_field_definition name: (_) @name) @definition.field
(public_field_definition name: (_) @name value: [(arrow_function) (function_expression)]) @definition.method
; A parameter of the constructor with an accessibility is a field of the class.
(class_declaration name: (_) @container body: (class_body (method_definition parameters: (formal_parameters (_
  ["readonly" (accessibility_modifier)] pattern: (identifier) @name) @definition.field))))
(abstract_class_declaration name: (_) @container body: (class_body (method_definition parameters: (formal_parameters (_
  ["readonly" (accessibility_modifier)] pattern: (identifier) @name) @definition.field))))
(pair key: (property_identifier) @name value: [(arrow_function) (function_expression) (generator_function)])
  @definition.method
(pair key: (string (string_fragment) @name) value: [(arrow_function) (function_expression) (generator_function)]
  (#match? @name "^[A-Za-z_$][\\w$:-]*$")) @definition.method

; Names bound at the top of the file; what is required is an import, and no definition.
(program [
  (lexical_declaration (variable_declarator name: (identifier) @name) @definition.variable)
  (variable_declaration (variable_declarator name: (identifier) @name) @definition.variable)
  (export_statement (lexical_declaration (variable_declarator name: (identifier) @name) @definition.variable))
  (export_statement (variable_declaration (variable_declarator name: (identifier) @name) @definition.variable))
  (ambient_declaration (_ (variable_declarator name: (identifier) @name) @definition.variable))
  (export_statement (ambient_declaration (_ (variable_declarator name: (identifier) @name) @definition.variable)))]
  (#not-match? @definition.variable "^[^=]{1,99}=\\s*require\\("))
(program [
  (lexical_declaration kind: "const" (variable_declarator name: (identifier) @name) @definition.constant)
  (export_statement (lexical_declaration kind: "const" (variable_declarator name: (identifier) @name) @definition.constant))]
  (#not-match? @definition.constant "^[^=]{1,99}=\\s*require\\("))
(program [
  (lexical_declaration (variable_declarator name: [
    (object_pattern [(shorthand_property_identifier_pattern) @name (pair_pattern value: (identifier) @name)
      (object_assignment_pattern left: (shorthand_property_identifier_pattern) @name)])
    (array_pattern (identifier) @name)]) @definition.variable)
  (export_statement (lexical_declaration (variable_declarator name: [
    (object_pattern [(shorthand_property_identifier_pattern) @name (pair_pattern value: (identifier) @name)
      (object_assignment_pattern left: (shorthand_property_identifier_pattern) @name)])
    (array_pattern (identifier) @name)]) @definition.variable))]
  (#not-match? @definition.variable "^[^=]{1,999}=\\s*require\\("))
(internal_module body: (statement_block [
  (_ (variable_declarator name: (identifier) @name) @definition.variable)
  (export_statement (_ (variable_declarator name: (identifier) @name) @definition.variable))]))
(module body: (statement_block [
  (_ (variable_declarator name: (identifier) @name) @definition.variable)
  (export_statement (_ (variable_declarator name: (identifier) @name) @definition.variable))]))
(variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression) (generator_function)])
  @definition.function
(variable_declarator name: (identifier) @name value: (class)) @definition.class
(class name: (_) @name) @definition.class
(arguments [(function_expression name: (identifier) @name) (generator_function name: (identifier) @name)] @definition.function)

; Names bound by assignment: to a prototype, to what the module exports, to an object.
(assignment_expression left: (member_expression property: [(property_identifier) (private_property_identifier)] @name)
  right: [(arrow_function) (function_expression) (generator_function)]) @definition.function
(assignment_expression left: (member_expression property: (property_identifier) @name) right: (class)) @definition.class
(assignment_expression
  left: (member_expression
    object: (member_expression object: (identifier) @container property: (property_identifier) @_prototype)
    property: (property_identifier) @name)
  right: [(arrow_function) (function_expression) (generator_function)]
  (#eq? @_prototype "prototype")) @definition.method
(assignment_expression
  left: (member_expression object: (identifier) @name property: (property_identifier) @_prototype)
  right: (object)
  (#eq? @_prototype "prototype")) @scope
(program (expression_statement (assignment_expression
  left: (member_expression object: [
    (identifier) @_exports
    (member_expression object: (identifier) @_module property: (property_identifier) @_exports)]
    property: (property_identifier) @name)
  right: [(string) (number) (object) (array) (call_expression) (new_expression) (template_string) (true) (false)
    (binary_expression)]
  (#eq? @_exports "exports")) @definition.variable))
(export_statement "default" @name value: [(function_expression) (arrow_function) (generator_function)])
  @definition.function
(export_statement "default" @name value: (class)) @definition.class

(import_statement source: (string) @import)
(import_statement (import_clause [
  (identifier) @import.name
  (namespace_import) @import.name
  (named_imports [
    (import_specifier name: (_) @import.name !alias)
    (import_specifier alias: (_)) @import.name])]) source: (string) @import)
(export_statement source: (string) @import)
(export_statement ["*" @import.name (namespace_export) @import.name] source: (string) @import)
(export_statement (export_clause [
  (export_specifier name: (_) @import.name !alias)
  (export_specifier alias: (_)) @import.name]) source: (string) @import)
(import_statement (import_require_clause (identifier) @import.name source: (string) @import))
(call_expression function: (identifier) @_require arguments: (arguments . (string) @import) (#eq? @_require "require"))
(call_expression function: (import) arguments: (arguments . (string) @import))
(variable_declarator
  name: [
    (identifier) @import.name
    (object_pattern [
      (shorthand_property_identifier_pattern) @import.name
      (pair_pattern key: (property_identifier) @import.name)])]
  value: (call_expression function: (identifier) @_require arguments: (arguments . (string) @import))
  (#eq? @_require "require"))

(export_statement !source (export_clause (export_specifier name: (identifier) @export)))
(export_statement value: (identifier) @export)
(assignment_expression
  left: (member_expression object: (identifier) @_module property: (property_identifier) @_exports)
  right: [
    (identifier) @export
    (object [(shorthand_property_identifier) @export (pair value: (identifier) @export)])]
  (#eq? @_module "module") (#eq? @_exports "exports"))
(assignment_expression
  left: (member_expression object: [
    (identifier) @_exports
    (member_expression object: (identifier) @_module property: (property_identifier) @_exports)]
    property: (property_identifier) @export)
  (#eq? @_exports "exports"))

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
(call_expression function: [
  (identifier) @call
  (member_expression object: (_) @call.of property: [(property_identifier) (private_property_identifier)] @call)])
(new_expression constructor: [
  (identifier) @call
  (member_expression object: (_) @call.of property: (property_identifier) @call)])
((type_identifier) @reference (#not-match? @reference "^(Array|Partial|Promise|Readonly|Record|[A-Z])$"))
(nested_type_identifier module: (_) @reference.of name: (type_identifier) @reference)
(binary_expression operator: "instanceof" right: [
  (identifier) @reference
  (member_expression object: (_) @reference.of property: (property_identifier) @reference)])
(decorator [
  [(identifier) (member_expression)] @decorator
  (call_expression function: [(identifier) (member_expression)] @decorator)])
(decorator [
  (identifier) @reference
  (member_expression object: (_) @reference.of property: (property_identifier) @reference)])
(member_expression object: (member_expression property: (property_identifier) @_env) property: (property_identifier) @fact.env
  (#eq? @_env "env") (#match? @fact.env "^[A-Z_0-9]+$"))
(subscript_expression object: (member_expression property: (property_identifier) @_env) index: (string) @fact.env
  (#eq? @_env "env"))

(comment) @comment
