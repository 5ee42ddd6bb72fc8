; What a Python file defines, imports and uses.
(class_definition name: (identifier) @name) @definition.class
(function_definition name: (identifier) @name) @definition.function
((function_definition name: (identifier) @name) @definition.constructor (#eq? @name "__init__"))
(type_alias_statement left: (type [(identifier) @name (generic_type . (identifier) @name)])) @definition.type

; A pattern that begins high in the tree is held open for all that is below, so these are few.
; Names bound where the file or a class is read; those in functions are nobody else's.
(module (assignment [
  left: (identifier) @name
  left: (pattern_list [(identifier) @name (list_splat_pattern (identifier) @name)])
  left: (tuple_pattern (identifier) @name)
  right: (assignment left: (identifier) @name)]) @definition.variable)
(module (assignment left: (identifier) @name) @definition.constant (#match? @name "^_*[A-Z][A-Z0-9_]*$"))
(module [
  (if_statement [
    (block (assignment left: (identifier) @name) @definition.variable)
    (_ (block (assignment left: (identifier) @name) @definition.variable))])
  (try_statement [
    (block (assignment left: (identifier) @name) @definition.variable)
    (_ (block (assignment left: (identifier) @name) @definition.variable))])])
(class_definition body: (block [
  (assignment [
    left: (identifier) @name
    left: (pattern_list (identifier) @name)
    left: (tuple_pattern (identifier) @name)
    right: (assignment left: (identifier) @name)]) @definition.field
  (if_statement [
    (block (assignment left: (identifier) @name) @definition.field)
    (_ (block (assignment left: (identifier) @name) @definition.field))])]))
(class_definition
  superclasses: (argument_list [(identifier) @_base (attribute attribute: (identifier) @_base)])
  body: (block (assignment left: (identifier) @name) @definition.enum_member)
  (#match? @_base "(Enum|Flag)$"))

(import_statement name: (dotted_name) @import)
(import_statement name: (aliased_import name: (dotted_name) @import) @import.name)
(import_from_statement module_name: (_) @import name: (_) @import.name)
(import_from_statement module_name: (_) @import (wildcard_import) @import.name)

(class_definition superclasses: (argument_list [
  (identifier) @inherits
  (attribute attribute: (identifier) @inherits)
  (subscript value: [(identifier) @inherits (attribute attribute: (identifier) @inherits)])]))
((call function: (identifier) @call) (#not-match? @call
  "^(bool|dict|enumerate|float|getattr|hasattr|int|isinstance|issubclass|len|list|print|range|repr|set|setattr|str|super|tuple|zip)$"))
(call function: (attribute object: (_) @call.of attribute: (identifier) @call))
(decorator [(identifier) @reference (attribute object: (_) @reference.of attribute: (identifier) @reference)]
  (#not-match? @reference "^(classmethod|property|staticmethod)$"))
(decorator [
  [(identifier) (attribute)] @decorator
  (call function: [(identifier) (attribute)] @decorator)])

(type [
  (identifier) @reference
  (attribute object: (_) @reference.of attribute: (identifier) @reference)
  (generic_type . (identifier) @reference)
  (subscript [
    (identifier) @reference
    (attribute object: (_) @reference.of attribute: (identifier) @reference)
    (subscript (identifier) @reference)])
  (list (identifier) @reference)
  (binary_operator [(identifier) @reference (binary_operator (identifier) @reference)])]
  (#not-match? @reference "^(str|int|bool|float|bytes|object|list|dict|tuple|set|type|Any)$"))
(except_clause value: [
  (identifier) @reference
  (as_pattern . (identifier) @reference)
  (tuple (identifier) @reference)
  (as_pattern . (tuple (identifier) @reference))])
(call function: (identifier) @_test arguments: (argument_list (_) . [
  (identifier) @reference
  (attribute object: (_) @reference.of attribute: (identifier) @reference)
  (tuple (identifier) @reference)])
  (#any-of? @_test "isinstance" "issubclass"))
(keyword_argument name: (identifier) @_key value: (identifier) @reference (#eq? @_key "metaclass"))

(assignment left: (identifier) @_all right: [
  (_ (string (string_content) @export))
  (binary_operator (_ (string (string_content) @export)))] (#eq? @_all "__all__"))
(augmented_assignment left: (identifier) @_all right: (_ (string (string_content) @export)) (#eq? @_all "__all__"))
(subscript value: (attribute attribute: (identifier) @_environ) subscript: (string . (string_start) . (string_content) @fact.env . (string_end))
  (#eq? @_environ "environ"))

(comment) @comment
(module . (string) @doc)
(class_definition body: (block . (string) @doc))
(function_definition body: (block . (string) @doc))

; Tables and models by their declarations; settings by subscript and by name.
((assignment left: (identifier) @_name right: (string . (string_start) . (string_content) @fact.schema . (string_end)))
  (#any-of? @_name "__tablename__" "db_table"))
((class_definition name: (identifier) @fact.schema superclasses: (argument_list
  (attribute object: (identifier) @_models attribute: (identifier) @_model)))
  (#eq? @_model "Model") (#any-of? @_models "models" "db"))
((class_definition name: (identifier) @fact.schema superclasses: (argument_list
  (keyword_argument name: (identifier) @_table value: (true)))) (#eq? @_table "table"))
((call function: (identifier) @_getattr arguments: (argument_list
  . (identifier) @_settings . (string . (string_start) . (string_content) @fact.config . (string_end))))
  (#eq? @_getattr "getattr") (#eq? @_settings "settings"))
((subscript value: [(identifier) @_config (attribute attribute: (identifier) @_config)]
  subscript: (string . (string_start) . (string_content) @fact.config . (string_end))) (#eq? @_config "config") (#match? @fact.config "^[A-Z][A-Z0-9_]+$"))
