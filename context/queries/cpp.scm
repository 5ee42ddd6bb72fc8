; What a C++ file or a header defines, includes and uses. Prototypes count as definitions, locals do not; conditions and
; many macros are blanked before.
(namespace_definition name: (_) @name) @definition.namespace
(namespace_alias_definition name: (namespace_identifier) @name) @definition.namespace
(module_declaration name: (module_name) @name) @definition.module
(class_specifier name: [
  (type_identifier) @name
  (template_type name: (type_identifier) @name)
  (qualified_identifier scope: (_) @container name: [(type_identifier) @name (template_type name: (type_identifier) @name)])] body: (_)) @definition.class
(struct_specifier name: [
  (type_identifier) @name
  (template_type name: (type_identifier) @name)
  (qualified_identifier scope: (_) @container name: [(type_identifier) @name (template_type name: (type_identifier) @name)])] body: (_)) @definition.struct
(union_specifier name: (type_identifier) @name body: (_)) @definition.struct
(enum_specifier name: (type_identifier) @name body: (_)) @definition.enum
(enumerator name: (identifier) @name) @definition.enum_member
(concept_definition name: (identifier) @name) @definition.type
(alias_declaration name: (type_identifier) @name) @definition.type
(type_definition type: (struct_specifier !name body: (_)) declarator: (type_identifier) @name) @definition.struct
(type_definition type: (union_specifier !name body: (_)) declarator: (type_identifier) @name) @definition.struct
(type_definition type: (enum_specifier !name body: (_)) declarator: (type_identifier) @name) @definition.enum
(type_definition type: [
  (type_identifier) (primitive_type) (sized_type_specifier) (qualified_identifier) (template_type) (dependent_type) (decltype)
  (class_specifier !body) (struct_specifier !body) (union_specifier !body) (enum_specifier !body)
] declarator: (type_identifier) @name) @definition.type
(type_definition type: (struct_specifier name: (_) @_tag body: (_)) declarator: (type_identifier) @name (#not-eq? @_tag @name)) @definition.type
(type_definition type: (union_specifier name: (_) @_tag body: (_)) declarator: (type_identifier) @name (#not-eq? @_tag @name)) @definition.type
(type_definition type: (enum_specifier name: (_) @_tag body: (_)) declarator: (type_identifier) @name (#not-eq? @_tag @name)) @definition.type
(type_definition declarator: [
  (pointer_declarator declarator: (type_identifier) @name)
  (reference_declarator (type_identifier) @name)
  (array_declarator declarator: (type_identifier) @name)
  (function_declarator declarator: (type_identifier) @name)
  (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (type_identifier) @name)))
  (pointer_declarator declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (type_identifier) @name))))]) @definition.type
; `typedef List(Item) Items;` by a macro is read as two statements.
(translation_unit (type_definition declarator: (parenthesized_declarator)) . (expression_statement (identifier) @name) @definition.type)
(declaration_list (type_definition declarator: (parenthesized_declarator)) . (expression_statement (identifier) @name) @definition.type)

; Functions with a body, those of a class outside of it by its name, and constructors, which have no type.
(function_definition type: (_) declarator: [
  (_ declarator: [(identifier) (field_identifier) (operator_name)] @name)
  (_ declarator: (_ declarator: [(identifier) (field_identifier) (operator_name)] @name))
  (reference_declarator (_ declarator: [(identifier) (field_identifier) (operator_name)] @name))
  (_ declarator: (_ declarator: (_ declarator: [(identifier) (field_identifier) (operator_name)] @name)))
  (_ declarator: (parenthesized_declarator (identifier) @name))
  (_ declarator: (parenthesized_declarator (_ declarator: (_ declarator: (identifier) @name))))]) @definition.function
(function_definition declarator: [
  (_ declarator: (qualified_identifier scope: [(namespace_identifier) @container (template_type name: (type_identifier) @container)] name: [(identifier) (operator_name) (destructor_name)] @name))
  (_ declarator: (qualified_identifier name: (qualified_identifier scope: [(namespace_identifier) @container (template_type name: (type_identifier) @container)] name: [(identifier) (operator_name) (destructor_name)] @name)))
  (_ declarator: (_ declarator: (qualified_identifier scope: [(namespace_identifier) @container (template_type name: (type_identifier) @container)] name: [(identifier) (operator_name) (destructor_name)] @name)))
  (_ declarator: (_ declarator: (qualified_identifier name: (qualified_identifier scope: [(namespace_identifier) @container (template_type name: (type_identifier) @container)] name: [(identifier) (operator_name) (destructor_name)] @name))))
  (reference_declarator (_ declarator: (qualified_identifier scope: [(namespace_identifier) @container (template_type name: (type_identifier) @container)] name: [(identifier) (operator_name) (destructor_name)] @name)))
  (reference_declarator (_ declarator: (qualified_identifier name: (qualified_identifier scope: [(namespace_identifier) @container (template_type name: (type_identifier) @container)] name: [(identifier) (operator_name) (destructor_name)] @name))))]) @definition.method
(function_definition !type declarator: [
  (_ declarator: (qualified_identifier scope: [(namespace_identifier) @container (template_type name: (type_identifier) @container)] name: (identifier) @name))
  (_ declarator: (qualified_identifier name: (qualified_identifier scope: [(namespace_identifier) @container (template_type name: (type_identifier) @container)] name: (identifier) @name)))]) @definition.constructor
(field_declaration_list (function_definition !type declarator: (function_declarator declarator: (identifier) @name)) @definition.constructor)
(field_declaration_list (declaration !type declarator: (function_declarator declarator: (identifier) @name)) @definition.constructor)
(field_declaration_list (template_declaration [(function_definition !type declarator: (function_declarator declarator: (identifier) @name)) (declaration !type declarator: (function_declarator declarator: (identifier) @name))] @definition.constructor))
(function_definition declarator: (function_declarator declarator: (destructor_name) @name)) @definition.method
(declaration declarator: (function_declarator declarator: (destructor_name) @name)) @definition.method
(function_definition declarator: [(operator_cast "operator" @name) (qualified_identifier scope: (_) @container name: (operator_cast "operator" @name))]) @definition.method
(declaration declarator: (operator_cast "operator" @name)) @definition.method
; `TEST_F(Suite, Name) {}`, and any other macro that makes a function.
((function_definition !type declarator: (function_declarator declarator: (identifier) @_test parameters: (parameter_list
  . (parameter_declaration type: (type_identifier) @container !declarator) . (parameter_declaration type: (type_identifier) @name !declarator) .))) @definition.function
  (#any-of? @_test "TEST" "TEST_F" "TEST_P" "TYPED_TEST" "TYPED_TEST_P" "BENCHMARK_F" "IN_PROC_BROWSER_TEST_F"))
((translation_unit (function_definition !type declarator: (function_declarator declarator: (identifier) @name)) @definition.function)
  (#not-match? @name "^(TYPED_)?TEST(_[FP])?$"))
((declaration_list (function_definition !type declarator: (function_declarator declarator: (identifier) @name)) @definition.function)
  (#not-match? @name "^(TYPED_)?TEST(_[FP])?$"))

; Members.
(field_declaration_list (access_specifier) @access)
(field_declaration declarator: [
  (function_declarator declarator: [(field_identifier) (operator_name)] @name)
  (_ (function_declarator declarator: [(field_identifier) (operator_name)] @name))]) @definition.method
(field_declaration declarator: [
  (field_identifier) @name
  (_ declarator: (field_identifier) @name)
  (reference_declarator (field_identifier) @name)
  (_ declarator: (_ declarator: (field_identifier) @name))
  (_ declarator: (parenthesized_declarator (_ declarator: (field_identifier) @name)))
  (_ declarator: (_ declarator: (parenthesized_declarator (_ declarator: (field_identifier) @name))))]) @definition.field
(field_declaration (type_qualifier "constexpr") declarator: (field_identifier) @name default_value: (_)) @definition.constant
; Static ones, outside of their class.
(declaration declarator: [
  (qualified_identifier scope: [(namespace_identifier) @container (template_type name: (type_identifier) @container)] name: (identifier) @name)
  (_ declarator: (qualified_identifier scope: [(namespace_identifier) @container (template_type name: (type_identifier) @container)] name: (identifier) @name))
  (_ declarator: (_ declarator: (qualified_identifier scope: [(namespace_identifier) @container (template_type name: (type_identifier) @container)] name: (identifier) @name)))
  (qualified_identifier name: (qualified_identifier scope: [(namespace_identifier) @container (template_type name: (type_identifier) @container)] name: (identifier) @name))
  (_ declarator: (qualified_identifier name: (qualified_identifier scope: [(namespace_identifier) @container (template_type name: (type_identifier) @container)] name: (identifier) @name)))]) @definition.variable

(preproc_def name: (identifier) @name value: (_)) @definition.macro
((preproc_def name: (identifier) @name !value) @definition.macro (#not-match? @name "_(H|HH|HPP|HXX|INL|INCLUDED)_*$"))
(preproc_function_def name: (identifier) @name) @definition.macro

; Prototypes, then globals: those of a file, a namespace, a template, `extern "C"`.
(translation_unit (declaration type: (_) declarator: [
  (function_declarator declarator: [(identifier) (operator_name)] @name)
  (_ (function_declarator declarator: [(identifier) (operator_name)] @name))]) @definition.function)
(declaration_list (declaration type: (_) declarator: [
  (function_declarator declarator: [(identifier) (operator_name)] @name)
  (_ (function_declarator declarator: [(identifier) (operator_name)] @name))]) @definition.function)
(template_declaration (declaration type: (_) declarator: [
  (function_declarator declarator: [(identifier) (operator_name)] @name)
  (_ (function_declarator declarator: [(identifier) (operator_name)] @name))]) @definition.function)
(linkage_specification (declaration type: (_) declarator: [
  (function_declarator declarator: [(identifier) (operator_name)] @name)
  (_ (function_declarator declarator: [(identifier) (operator_name)] @name))]) @definition.function)
(translation_unit (declaration declarator: [
  (identifier) @name
  (_ declarator: (identifier) @name)
  (reference_declarator (identifier) @name)
  (_ declarator: (_ declarator: (identifier) @name))
  (_ declarator: (reference_declarator (identifier) @name))
  (_ declarator: (_ declarator: (_ declarator: (identifier) @name)))
  (_ declarator: (parenthesized_declarator (_ declarator: (identifier) @name)))
  (_ declarator: (_ declarator: (parenthesized_declarator (_ declarator: (identifier) @name))))]) @definition.variable)
(translation_unit (declaration (type_qualifier ["const" "constexpr"]) declarator: [
  (init_declarator declarator: (identifier) @name)
  (init_declarator declarator: (_ declarator: (identifier) @name))]) @definition.constant)
(declaration_list (declaration declarator: [
  (identifier) @name
  (_ declarator: (identifier) @name)
  (reference_declarator (identifier) @name)
  (_ declarator: (_ declarator: (identifier) @name))
  (_ declarator: (reference_declarator (identifier) @name))
  (_ declarator: (_ declarator: (_ declarator: (identifier) @name)))
  (_ declarator: (parenthesized_declarator (_ declarator: (identifier) @name)))
  (_ declarator: (_ declarator: (parenthesized_declarator (_ declarator: (identifier) @name))))]) @definition.variable)
(declaration_list (declaration (type_qualifier ["const" "constexpr"]) declarator: [
  (init_declarator declarator: (identifier) @name)
  (init_declarator declarator: (_ declarator: (identifier) @name))]) @definition.constant)
(template_declaration (declaration declarator: [(identifier) @name (init_declarator declarator: (identifier) @name)]) @definition.variable)

(preproc_include path: (_) @import)
(import_declaration [name: (_) header: (_)] @import)

(call_expression function: (identifier) @call)
((call_expression function: (template_function name: (identifier) @call)) (#not-match? @call "_cast$"))
(call_expression function: (field_expression argument: (_) @call.of field: [(field_identifier) @call (template_method name: (field_identifier) @call)]))
(call_expression function: (qualified_identifier scope: (_)? @call.of name: [(identifier) @call (template_function name: (identifier) @call)]))
(call_expression function: (qualified_identifier name: (qualified_identifier scope: (_) @call.of name: [(identifier) @call (template_function name: (identifier) @call)])))
(new_expression type: [(type_identifier) @call (template_type name: (type_identifier) @call)])
(new_expression type: (qualified_identifier scope: (_) @call.of name: [(type_identifier) @call (template_type name: (type_identifier) @call)]))

(base_class_clause [
  (type_identifier) @inherits
  (template_type name: (type_identifier) @inherits)
  (qualified_identifier name: (type_identifier) @inherits)
  (qualified_identifier name: (template_type name: (type_identifier) @inherits))])

(type_identifier) @reference
; A member of a class, an enum or a namespace; where it is called or defined, that is what counts.
(qualified_identifier scope: (namespace_identifier) @reference.of name: (identifier) @reference)

(function_definition (attribute_declaration (attribute name: (identifier) @decorator)))
(declaration (attribute_declaration (attribute name: (identifier) @decorator)))
(field_declaration (attribute_declaration (attribute name: (identifier) @decorator)))
(class_specifier (attribute_declaration (attribute name: (identifier) @decorator)))
(struct_specifier (attribute_declaration (attribute name: (identifier) @decorator)))
(comment) @comment
