; What a C# file defines, imports and uses.
(namespace_declaration name: (_) @name) @definition.namespace
(file_scoped_namespace_declaration name: (_) @name) @definition.namespace
(class_declaration name: (identifier) @name) @definition.class
(record_declaration name: (identifier) @name) @definition.class
(struct_declaration name: (identifier) @name) @definition.struct
(interface_declaration name: (identifier) @name) @definition.interface
(enum_declaration name: (identifier) @name) @definition.enum
(enum_member_declaration name: (identifier) @name) @definition.enum_member
(delegate_declaration name: (identifier) @name) @definition.type
(using_directive name: (identifier) @name) @definition.type
(method_declaration name: (identifier) @name) @definition.method
(local_function_statement name: (identifier) @name) @definition.function
(constructor_declaration name: (identifier) @name) @definition.constructor
(destructor_declaration name: (identifier) @name) @definition.method
(operator_declaration operator: _ @name) @definition.method
(conversion_operator_declaration "operator" @name) @definition.method
(indexer_declaration "this" @name) @definition.property
(property_declaration name: (identifier) @name) @definition.property
(event_declaration name: (identifier) @name) @definition.property
(event_field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @definition.property
(field_declaration (modifier "const") (variable_declaration (variable_declarator name: (identifier) @name))) @definition.constant
(field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @definition.field
(record_declaration (parameter_list (parameter name: (identifier) @name) @definition.property))

(using_directive !name (_) @import)
(using_directive name: (identifier) (_) @import)

(invocation_expression function: [(identifier) @call (generic_name . (identifier) @call)])
(invocation_expression function: (_ expression: (_)? @call.of name: [(identifier) @call (generic_name . (identifier) @call)]))
(invocation_expression function: (_ condition: (_) @call.of (member_binding_expression name: [(identifier) @call (generic_name . (identifier) @call)])))
(object_creation_expression type: [(identifier) @call (generic_name . (identifier) @call)])
(object_creation_expression type: (_ qualifier: (_) @call.of name: [(identifier) @call (generic_name . (identifier) @call)]))

(interface_declaration (base_list [(identifier) @inherits (generic_name . (identifier) @inherits) (qualified_name name: (identifier) @inherits) (qualified_name name: (generic_name . (identifier) @inherits))]))
(struct_declaration (base_list [(identifier) @implements (generic_name . (identifier) @implements) (qualified_name name: (identifier) @implements) (qualified_name name: (generic_name . (identifier) @implements))]))
((class_declaration (base_list [(identifier) @inherits (generic_name . (identifier) @inherits) (qualified_name name: (identifier) @inherits) (qualified_name name: (generic_name . (identifier) @inherits))]))
  (#not-match? @inherits "^I[A-Z]"))
((class_declaration (base_list [(identifier) @implements (generic_name . (identifier) @implements) (qualified_name name: (identifier) @implements) (qualified_name name: (generic_name . (identifier) @implements))]))
  (#match? @implements "^I[A-Z]"))
((record_declaration (base_list [(identifier) @inherits (generic_name . (identifier) @inherits)])) (#not-match? @inherits "^I[A-Z]"))
((record_declaration (base_list [(identifier) @implements (generic_name . (identifier) @implements)])) (#match? @implements "^I[A-Z]"))
(base_list (primary_constructor_base_type type: [(identifier) @inherits (generic_name . (identifier) @inherits)]))

; Types; what is made by `new` is told by its call.
(_ type: (identifier) @reference)
(_ returns: (identifier) @reference)
(generic_name . (identifier) @reference)
(type_argument_list (identifier) @reference)
(_ type: (qualified_name name: (identifier) @reference))
(as_expression right: (identifier) @reference)
(is_expression right: (identifier) @reference)
(constant_pattern (identifier) @reference)
; `Color.Red`; where it is called, that is what counts.
((member_access_expression expression: (identifier) @reference.of name: (identifier) @reference) (#match? @reference.of "^[A-Z]"))

(attribute_list (attribute name: [(identifier) @decorator (qualified_name name: (identifier) @decorator)]))
(comment) @comment

; Keys of the configuration by subscript; the tables of a context of entities.
((element_access_expression expression: [(identifier) @_config (member_access_expression name: (identifier) @_config)]
  subscript: (bracketed_argument_list (argument (string_literal) @fact.config)))
  (#match? @_config "^_?[Cc]onfig(uration)?$"))
((property_declaration type: (generic_name (identifier) @_set (type_argument_list (_) @fact.schema))) (#eq? @_set "DbSet"))
