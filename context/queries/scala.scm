; What a Scala file defines, imports and uses.
(package_clause name: (package_identifier) @name) @definition.package
(package_object name: (identifier) @name) @definition.object
(class_definition name: (_) @name) @definition.class
(trait_definition name: (_) @name) @definition.trait
(object_definition name: (_) @name) @definition.object
(enum_definition name: (_) @name) @definition.enum
(simple_enum_case name: (_) @name) @definition.enum_member
(full_enum_case name: (_) @name) @definition.enum_member
(function_definition name: (_) @name) @definition.function
(function_declaration name: (_) @name) @definition.function
(function_definition name: (identifier) @name (#eq? @name "this")) @definition.constructor
(given_definition name: (_) @name) @definition.constant
(type_definition name: (_) @name) @definition.type
(class_definition "case" (class_parameters (class_parameter name: (identifier) @name) @definition.property))
(class_parameters (class_parameter ["val" "var"] name: (identifier) @name) @definition.property)
(compilation_unit (val_definition pattern: [(identifier) @name (identifiers (identifier) @name) (tuple_pattern (identifier) @name)]) @definition.constant)
(compilation_unit (var_definition pattern: [(identifier) @name (identifiers (identifier) @name)]) @definition.variable)
(template_body (val_definition pattern: [(identifier) @name (operator_identifier) @name (identifiers (identifier) @name) (tuple_pattern (identifier) @name)]) @definition.property)
(template_body (var_definition pattern: [(identifier) @name (identifiers (identifier) @name)]) @definition.property)
(template_body (val_declaration name: (_) @name) @definition.property)
(template_body (var_declaration name: (_) @name) @definition.property)
(with_template_body (val_definition pattern: (identifier) @name) @definition.property)
(enum_body (val_definition pattern: (identifier) @name) @definition.property)
(extension_definition parameters: (parameters (parameter type: [(type_identifier) @name (generic_type type: (type_identifier) @name)]))) @scope

; A path is spelled by its first and its last part.
(import_declaration "import" . (_) @import .)
(import_declaration "import" . (_) @import (identifier) @import .)
(import_declaration "import" . (_) @import . "." . (namespace_wildcard) @import.name)
(import_declaration "import" . (_) @import (identifier) @import . "." . (namespace_wildcard) @import.name)
(import_declaration "import" . (_) @import . "." . (namespace_selectors [(identifier) @import.name (namespace_wildcard) @import.name (as_renamed_identifier) @import.name (arrow_renamed_identifier name: (_) @import.name)]))
(import_declaration "import" . (_) @import (identifier) @import . "." . (namespace_selectors [(identifier) @import.name (namespace_wildcard) @import.name (as_renamed_identifier) @import.name (arrow_renamed_identifier name: (_) @import.name)]))

(call_expression function: [(identifier) @call (generic_function function: (identifier) @call)])
(call_expression function: (field_expression value: (_) @call.of field: (identifier) @call))
(call_expression function: (generic_function function: (field_expression value: (_) @call.of field: (identifier) @call)))
(infix_expression operator: (identifier) @call)
(instance_expression [(type_identifier) @call (generic_type type: (type_identifier) @call) (stable_type_identifier (type_identifier) @call)])

(class_definition (extends_clause . type: [(type_identifier) @inherits (generic_type type: (type_identifier) @inherits) (stable_type_identifier (type_identifier) @inherits) (generic_type type: (stable_type_identifier (type_identifier) @inherits))]))
(object_definition (extends_clause . type: [(type_identifier) @inherits (generic_type type: (type_identifier) @inherits) (stable_type_identifier (type_identifier) @inherits) (generic_type type: (stable_type_identifier (type_identifier) @inherits))]))
(trait_definition (extends_clause type: [(type_identifier) @inherits (generic_type type: (type_identifier) @inherits) (stable_type_identifier (type_identifier) @inherits) (generic_type type: (stable_type_identifier (type_identifier) @inherits))]))
(extends_clause "with" . (type_identifier) @implements)
(extends_clause "with" . (generic_type type: (type_identifier) @implements))
(extends_clause "with" . (stable_type_identifier (type_identifier) @implements))
(extends_clause "with" . (generic_type type: (stable_type_identifier (type_identifier) @implements)))
(extends_clause "," . (type_identifier) @implements)
(extends_clause "," . (generic_type type: (type_identifier) @implements))
(extends_clause "," . (stable_type_identifier (type_identifier) @implements))
(extends_clause "," . (generic_type type: (stable_type_identifier (type_identifier) @implements)))
(derives_clause type: (type_identifier) @implements)
(given_definition return_type: [(type_identifier) @implements (generic_type type: (type_identifier) @implements)])
(type_identifier) @reference
(export_declaration path: (identifier) @export .)

(annotation name: (type_identifier) @decorator)
[(comment) (block_comment)] @comment
