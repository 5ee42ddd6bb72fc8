; What a Rust file defines, imports and uses.
(function_item name: (identifier) @name) @definition.function
(function_signature_item name: (identifier) @name) @definition.function
(struct_item name: (type_identifier) @name) @definition.struct
(union_item name: (type_identifier) @name) @definition.struct
(enum_item name: (type_identifier) @name) @definition.enum
(trait_item name: (type_identifier) @name) @definition.trait
(type_item name: (type_identifier) @name) @definition.type
(associated_type name: (type_identifier) @name) @definition.type
(mod_item name: (identifier) @name body: (_)) @definition.module
(const_item name: (identifier) @name) @definition.constant
(static_item name: (identifier) @name) @definition.variable
(macro_definition name: (identifier) @name) @definition.macro
(field_declaration name: (field_identifier) @name) @definition.field
(enum_variant name: (identifier) @name) @definition.enum_member
(impl_item type: [
  (type_identifier) @name
  (generic_type type: [(type_identifier) @name (scoped_type_identifier name: (type_identifier) @name)])
  (scoped_type_identifier name: (type_identifier) @name)
  (dynamic_type trait: (type_identifier) @name)
  (reference_type type: [(type_identifier) @name (generic_type type: (type_identifier) @name)])]) @scope

(use_declaration argument: (_) @import)
(extern_crate_declaration name: (identifier) @import)
; A file that belongs to this one is told from other imports by the word.
(mod_item "mod" @import.name name: (identifier) @import !body)

(impl_item trait: [
  (type_identifier) @implements
  (scoped_type_identifier name: (type_identifier) @implements)
  (generic_type type: [(type_identifier) @implements (scoped_type_identifier name: (type_identifier) @implements)])])
(trait_item bounds: (trait_bounds [
  (type_identifier) @inherits
  (scoped_type_identifier name: (type_identifier) @inherits)
  (generic_type type: (type_identifier) @inherits)]))
((call_expression function: (identifier) @call) (#not-match? @call "^(Err|None|Ok|Some)$"))
(call_expression function: [
  (field_expression value: (_) @call.of field: (field_identifier) @call)
  (scoped_identifier path: (_) @call.of name: (identifier) @call)
  (generic_function function: [
    (identifier) @call
    (field_expression value: (_) @call.of field: (field_identifier) @call)
    (scoped_identifier path: (_) @call.of name: (identifier) @call)])])
(macro_invocation macro: [(identifier) @call (scoped_identifier path: (_) @call.of name: (identifier) @call)])
; What is handed to a macro isn't parsed; a name before parentheses is nearly always a call.
(token_tree (identifier) @call . (token_tree . "(") (#not-match? @call "^(Err|None|Ok|Some)$"))
(token_tree [(identifier) (self)] @call.of . ["." "::"] . (identifier) @call . (token_tree . "("))
((type_identifier) @reference (#not-match? @reference "^(Box|Option|Self|Some|String|Vec|[A-Z])$"))
(scoped_type_identifier path: (_) @reference.of name: (type_identifier) @reference)
(match_pattern [
  (scoped_identifier path: (identifier) @reference)
  (tuple_struct_pattern type: (scoped_identifier path: (identifier) @reference))])

(attribute_item (attribute . [(identifier) (scoped_identifier)] @decorator) (#not-eq? @decorator "derive"))
(attribute_item (attribute . (identifier) @_derive arguments: (token_tree (identifier) @decorator))
  (#eq? @_derive "derive"))
(attribute_item) @leading

(line_comment) @comment
(block_comment) @comment
