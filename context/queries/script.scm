; What JavaScript and TypeScript share: what a file defines, imports and uses.
(function_declaration name: (identifier) @name) @definition.function
(generator_function_declaration name: (identifier) @name) @definition.function
(arguments [(function_expression name: (identifier) @name) (generator_function name: (identifier) @name)] @definition.function)
(class name: (_) @name) @definition.class
(method_definition name: (_) @name) @definition.method
((method_definition name: (property_identifier) @name) @definition.constructor (#eq? @name "constructor"))
(pair key: (property_identifier) @name value: [(arrow_function) (function_expression) (generator_function)])
  @definition.method
(pair key: (string (string_fragment) @name) value: [(arrow_function) (function_expression) (generator_function)]
  (#match? @name "^[A-Za-z_$][\\w$:-]*$")) @definition.method
(export_statement "default" @name value: [(function_expression) (arrow_function) (generator_function)])
  @definition.function
(export_statement "default" @name value: (class)) @definition.class

; Names bound at the top of the file. A pattern that begins at the file is held open for all of it, so these are few.
(program (_ (variable_declarator
  name: [
    (identifier) @name
    (array_pattern (identifier) @name)
    (object_pattern [
      (shorthand_property_identifier_pattern) @name
      (pair_pattern value: (identifier) @name)
      (object_assignment_pattern left: (shorthand_property_identifier_pattern) @name)])]) @definition.variable))
(program (lexical_declaration kind: "const" (variable_declarator
  name: [
    (identifier) @name
    (array_pattern (identifier) @name)
    (object_pattern [
      (shorthand_property_identifier_pattern) @name
      (pair_pattern value: (identifier) @name)
      (object_assignment_pattern left: (shorthand_property_identifier_pattern) @name)])]) @definition.constant))
(export_statement (_ (variable_declarator
  name: [
    (identifier) @name
    (array_pattern (identifier) @name)
    (object_pattern [
      (shorthand_property_identifier_pattern) @name
      (pair_pattern value: (identifier) @name)
      (object_assignment_pattern left: (shorthand_property_identifier_pattern) @name)])]) @definition.variable))
(export_statement (lexical_declaration kind: "const" (variable_declarator
  name: [
    (identifier) @name
    (array_pattern (identifier) @name)
    (object_pattern [
      (shorthand_property_identifier_pattern) @name
      (pair_pattern value: (identifier) @name)
      (object_assignment_pattern left: (shorthand_property_identifier_pattern) @name)])]) @definition.constant))
; Functions are named anywhere.
(variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression) (generator_function)])
  @definition.function
(variable_declarator name: (identifier) @name value: (class)) @definition.class

; Names bound by assignment: to an object, to a prototype, to what the module exports.
(assignment_expression left: (member_expression property: [(property_identifier) (private_property_identifier)] @name)
  right: [(arrow_function) (function_expression) (generator_function)]) @definition.function
(assignment_expression
  left: (member_expression object: (identifier) @container property: (property_identifier) @name)
  right: [(arrow_function) (function_expression) (generator_function)]
  (#not-match? @container "^(exports|me|self|that|_this)$")) @definition.method
(assignment_expression left: (member_expression property: (property_identifier) @name) right: (class)) @definition.class
(assignment_expression
  left: (member_expression
    object: (member_expression object: (_) @container property: (property_identifier) @_prototype)
    property: (property_identifier) @name)
  right: [(arrow_function) (function_expression) (generator_function) (identifier) (member_expression)]
  (#eq? @_prototype "prototype")) @definition.method
(assignment_expression
  left: (member_expression object: (identifier) @name property: (property_identifier) @_prototype)
  right: (object)
  (#eq? @_prototype "prototype")) @scope
(assignment_expression
  left: (member_expression object: [
    (identifier) @_exports
    (member_expression object: (identifier) property: (property_identifier) @_exports)]
    property: (property_identifier) @name)
  right: [(array) (binary_expression) (call_expression) (false) (new_expression) (number) (object) (string)
    (template_string) (true)]
  (#eq? @_exports "exports")) @definition.variable

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
    (member_expression object: (identifier) property: (property_identifier) @_exports)]
    property: (property_identifier) @export)
  (#eq? @_exports "exports"))

(call_expression function: [
  (identifier) @call
  (member_expression object: (_) @call.of property: [(property_identifier) (private_property_identifier)] @call)])
(new_expression constructor: [
  (identifier) @call
  (member_expression object: (_) @call.of property: (property_identifier) @call)])
(binary_expression operator: "instanceof" right: [
  (identifier) @reference
  (member_expression object: (_) @reference.of property: (property_identifier) @reference)])
(decorator [
  [(identifier) (member_expression)] @decorator
  (call_expression function: [(identifier) (member_expression)] @decorator)])
(decorator [
  (identifier) @reference
  (member_expression object: (_) @reference.of property: (property_identifier) @reference)])

(member_expression object: (member_expression property: (property_identifier) @_env)
  property: (property_identifier) @fact.env (#eq? @_env "env") (#match? @fact.env "^[A-Z_0-9]+$"))
(subscript_expression object: (member_expression property: (property_identifier) @_env)
  index: (string) @fact.env (#eq? @_env "env"))

(comment) @comment
