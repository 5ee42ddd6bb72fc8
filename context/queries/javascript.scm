; inherits: script,jsx
; What only JavaScript spells so.
(class_declaration name: (identifier) @name) @definition.class
(field_definition property: (_) @name) @definition.field
(field_definition property: (_) @name value: [(arrow_function) (function_expression)]) @definition.method
(class_heritage [
  (identifier) @inherits
  (member_expression property: (property_identifier) @inherits)
  (call_expression arguments: (arguments (identifier) @inherits))])
