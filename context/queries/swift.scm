; What a Swift file defines, imports and uses.
(class_declaration declaration_kind: "class" name: (type_identifier) @name) @definition.class
(class_declaration declaration_kind: "actor" name: (type_identifier) @name) @definition.class
(class_declaration declaration_kind: "struct" name: (type_identifier) @name) @definition.struct
(class_declaration declaration_kind: "enum" name: (type_identifier) @name) @definition.enum
(class_declaration declaration_kind: "extension" name: (user_type (type_identifier) @name .)) @scope
(protocol_declaration name: (type_identifier) @name) @definition.protocol
(enum_entry name: (simple_identifier) @name) @definition.enum_member
(typealias_declaration name: (type_identifier) @name) @definition.type
(associatedtype_declaration name: (type_identifier) @name) @definition.type
(function_declaration name: (simple_identifier) @name) @definition.function
(function_declaration name: [(custom_operator) "==" "!=" "===" "<" ">" "<=" ">=" "+" "-" "*" "/" "%" "+=" "-=" "*=" "/=" "%=" "!" "~" "&" "|" "^" "<<" ">>" "..." "..<"] @name) @definition.function
(protocol_function_declaration name: [(simple_identifier) (custom_operator) "==" "<" "+" "-" "*" "/"] @name) @definition.method
(init_declaration name: "init" @name) @definition.constructor
(deinit_declaration "deinit" @name) @definition.method
(subscript_declaration "subscript" @name) @definition.method
(macro_declaration (simple_identifier) @name) @definition.macro
(operator_declaration (custom_operator) @name) @definition.function
(source_file (property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @definition.variable)
(class_body (property_declaration name: [(pattern bound_identifier: (simple_identifier) @name) (pattern (pattern (simple_identifier) @name))]) @definition.property)
(enum_class_body (property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @definition.property)
(ERROR (property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @definition.property)
(protocol_property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @definition.property

(import_declaration (identifier) @import)

; `a[b]` is read as a call too, so what is called is told by what follows.
(call_expression . (simple_identifier) @call . (call_suffix . [(lambda_literal) (value_arguments "(")]))
(call_expression . (_ target: (_) @call.of suffix: (_ suffix: (simple_identifier) @call)) . (call_suffix . [(lambda_literal) (value_arguments "(")]))
(call_expression . (prefix_expression target: (simple_identifier) @call) . (call_suffix . (value_arguments "(")))
(selector_expression (simple_identifier) @call)
(selector_expression (_ . (simple_identifier) @call . (call_suffix)))
(selector_expression (_ target: (_) @call.of suffix: (_ suffix: (simple_identifier) @call)))
(selector_expression (_ (_ target: (_) @call.of suffix: (_ suffix: (simple_identifier) @call))))
; `Color.red`: by custom only a type, or a value of it, is written so.
((navigation_expression target: (simple_identifier) @reference.of suffix: (navigation_suffix suffix: (simple_identifier) @reference)) (#match? @reference.of "^[A-Z]"))

; A class names its base first, where it has one; all else that is named is a protocol.
(class_declaration declaration_kind: "class" name: (_) . (inheritance_specifier inherits_from: (user_type (type_identifier) @inherits . (type_arguments)? .)))
(class_declaration declaration_kind: "class" (type_parameters) . (inheritance_specifier inherits_from: (user_type (type_identifier) @inherits . (type_arguments)? .)))
(class_declaration (inheritance_specifier) (inheritance_specifier inherits_from: (user_type (type_identifier) @implements . (type_arguments)? .)))
(class_declaration declaration_kind: ["struct" "enum" "extension" "actor"] name: (_) . (inheritance_specifier inherits_from: (user_type (type_identifier) @implements . (type_arguments)? .)))
(class_declaration declaration_kind: ["struct" "enum" "extension" "actor"] (type_parameters) . (inheritance_specifier inherits_from: (user_type (type_identifier) @implements . (type_arguments)? .)))
(protocol_declaration (inheritance_specifier inherits_from: (user_type (type_identifier) @inherits . (type_arguments)? .)))
(user_type (type_identifier) @reference)

(modifiers (attribute (user_type (type_identifier) @decorator .)))
[(comment) (multiline_comment)] @comment
