; Components that markup in a script uses.
(jsx_opening_element name: [
  (identifier) @reference
  (member_expression object: (_) @reference.of property: (property_identifier) @reference)]
  (#match? @reference "^[A-Z]"))
(jsx_self_closing_element name: [
  (identifier) @reference
  (member_expression object: (_) @reference.of property: (property_identifier) @reference)]
  (#match? @reference "^[A-Z]"))

; A route of a router of components.
((jsx_self_closing_element name: (identifier) @_route attribute: (jsx_attribute
  (property_identifier) @_path (string) @fact.route)) (#eq? @_route "Route") (#eq? @_path "path"))
((jsx_opening_element name: (identifier) @_route attribute: (jsx_attribute
  (property_identifier) @_path (string) @fact.route)) (#eq? @_route "Route") (#eq? @_path "path"))
