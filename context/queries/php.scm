; What a PHP file defines, uses and imports.
(namespace_definition name: (namespace_name) @name) @definition.namespace
(class_declaration name: (name) @name) @definition.class
(interface_declaration name: (name) @name) @definition.interface
(trait_declaration name: (name) @name) @definition.trait
(enum_declaration name: (name) @name) @definition.enum
(enum_case name: (name) @name) @definition.enum_member
(function_definition name: (name) @name) @definition.function
(method_declaration name: (name) @name) @definition.method
((method_declaration name: (name) @name) @definition.constructor (#eq? @name "__construct"))
(property_declaration (property_element name: (variable_name (name) @name))) @definition.property
(property_promotion_parameter name: (variable_name (name) @name)) @definition.property
(const_declaration (const_element . (name) @name)) @definition.constant
((function_call_expression function: (name) @_define arguments: (arguments . (argument (string (string_content) @name)))) @definition.constant
  (#eq? @_define "define"))

(namespace_use_declaration (namespace_use_clause . [(qualified_name) (name)] @import))
(namespace_use_declaration (namespace_use_clause . [(qualified_name) (name)] @import alias: (name)) @import.name)
(namespace_use_declaration (namespace_name) @import body: (namespace_use_group (namespace_use_clause) @import.name))
(include_expression [(string (string_content) @import) (encapsed_string (string_content) @import) (_ (string (string_content) @import))])
(include_once_expression [(string (string_content) @import) (encapsed_string (string_content) @import) (_ (string (string_content) @import))])
(require_expression [(string (string_content) @import) (encapsed_string (string_content) @import) (_ (string (string_content) @import))])
(require_once_expression [(string (string_content) @import) (encapsed_string (string_content) @import) (_ (string (string_content) @import))])

(function_call_expression function: [(name) @call (qualified_name prefix: (_) @call.of (name) @call)])
(member_call_expression object: [(variable_name (name) @call.of) (member_access_expression) @call.of (member_call_expression) @call.of (nullsafe_member_access_expression) @call.of
  (nullsafe_member_call_expression) @call.of (scoped_call_expression) @call.of (scoped_property_access_expression) @call.of (class_constant_access_expression) @call.of
  (function_call_expression) @call.of (subscript_expression) @call.of (parenthesized_expression) @call.of (object_creation_expression) @call.of] name: (name) @call)
(nullsafe_member_call_expression object: [(variable_name (name) @call.of) (member_access_expression) @call.of (member_call_expression) @call.of (nullsafe_member_access_expression) @call.of
  (nullsafe_member_call_expression) @call.of (scoped_call_expression) @call.of (scoped_property_access_expression) @call.of (class_constant_access_expression) @call.of
  (function_call_expression) @call.of (subscript_expression) @call.of (parenthesized_expression) @call.of (object_creation_expression) @call.of] name: (name) @call)
(scoped_call_expression scope: [(name) (qualified_name) (relative_scope)] @call.of name: (name) @call)
(object_creation_expression [(name) @call (qualified_name (name) @call)])

(class_declaration (base_clause [(name) @inherits (qualified_name (name) @inherits)]))
(interface_declaration (base_clause [(name) @inherits (qualified_name (name) @inherits)]))
(class_declaration (class_interface_clause [(name) @implements (qualified_name (name) @implements)]))
(enum_declaration (class_interface_clause [(name) @implements (qualified_name (name) @implements)]))
(use_declaration [(name) @implements (qualified_name (name) @implements)])
(anonymous_class (base_clause [(name) @reference (qualified_name (name) @reference)]))
(anonymous_class (class_interface_clause [(name) @reference (qualified_name (name) @reference)]))

(named_type [(name) @reference (qualified_name (name) @reference)])
(scoped_call_expression scope: [(name) @reference (qualified_name (name) @reference)])
(scoped_property_access_expression scope: [(name) @reference (qualified_name (name) @reference)])
(class_constant_access_expression . [(name) @reference (qualified_name (name) @reference)])
((class_constant_access_expression . (name) @reference.of (name) @reference) (#not-eq? @reference "class"))
(binary_expression operator: "instanceof" right: [(name) @reference (qualified_name (name) @reference)])

(attribute [(name) @decorator (qualified_name (name) @decorator)])
((subscript_expression (variable_name (name) @_env) (string (string_content) @fact.env)) (#any-of? @_env "_ENV" "_SERVER")
  ; The rest of what the server tells is about the request.
  (#match? @fact.env "^[A-Z][A-Z0-9_]+$")
  (#not-match? @fact.env "^(HTTP|REQUEST|SERVER|REMOTE|SCRIPT|DOCUMENT|QUERY|PATH|PHP|GATEWAY|CONTENT|ORIG|AUTH|REDIRECT|LOCAL)"))
(comment) @comment

; The command and the table that a class states in a property.
((property_element name: (variable_name (name) @_name) default_value: [(string) (encapsed_string)] @fact.command)
  (#eq? @_name "signature"))
((property_element name: (variable_name (name) @_name) default_value: [(string) (encapsed_string)] @fact.schema)
  (#eq? @_name "table"))
