; Components that markup in a script uses.
(jsx_opening_element name: [
  (identifier) @reference
  (member_expression object: (_) @reference.of property: (property_identifier) @reference)]
  (#match? @reference "^[A-Z]"))
(jsx_self_closing_element name: [
  (identifier) @reference
  (member_expression object: (_) @reference.of property: (property_identifier) @reference)]
  (#match? @reference "^[A-Z]"))
