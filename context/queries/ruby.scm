; What a Ruby file defines, requires and uses.
(module name: [(constant) @name (scope_resolution scope: (_) @container name: (constant) @name) (scope_resolution !scope name: (constant) @name)]) @definition.module
(class name: [(constant) @name (scope_resolution scope: (_) @container name: (constant) @name) (scope_resolution !scope name: (constant) @name)]) @definition.class
(method name: [(identifier) (constant) (operator) (setter)] @name) @definition.function
((call method: (identifier) @_word arguments: (argument_list . (method name: (_) @name))) @definition.function
  (#any-of? @_word "private" "protected" "public"))
((class body: (body_statement (identifier) @access)) (#any-of? @access "private" "protected" "public"))
((module body: (body_statement (identifier) @access)) (#any-of? @access "private" "protected" "public"))
(singleton_method name: [(identifier) (constant) (operator) (setter)] @name) @definition.method
(singleton_method object: (constant) @container name: [(identifier) (constant) (operator) (setter)] @name) @definition.method
(assignment left: (constant) @name) @definition.constant
(assignment left: (_ scope: (_) @container name: (constant) @name)) @definition.constant
(assignment left: (left_assignment_list (constant) @name)) @definition.constant
(operator_assignment left: (constant) @name) @definition.constant
((_ left: (constant) @name right: (_ receiver: (constant) @_of method: (identifier) @_make)) @definition.class
  (#any-of? @_of "Class" "Struct" "Data" "Module") (#any-of? @_make "new" "define"))
((_ left: (constant) right: (_ receiver: (constant) @_of method: (identifier) @_make arguments: (_ (simple_symbol) @name @definition.property)))
  (#any-of? @_of "Struct" "Data") (#any-of? @_make "new" "define"))
(body_statement (_ left: (class_variable) @name) @definition.field)
(program (assignment left: (global_variable) @name) @definition.variable)
(alias name: [(identifier) (operator) (setter) (simple_symbol)] @name) @definition.method
((_ !receiver method: (identifier) @_macro arguments: (_ [(simple_symbol) @name (string (string_content) @name)] @definition.property))
  (#any-of? @_macro "attr_accessor" "attr_reader" "attr_writer" "cattr_accessor" "mattr_accessor" "class_attribute"))
((_ !receiver method: (identifier) @_macro arguments: (_ . [(simple_symbol) @name (string (string_content) @name)])) @definition.method
  (#any-of? @_macro "define_method" "define_singleton_method" "alias_method" "scope"))
((_ !receiver method: (identifier) @_macro arguments: (_ . (simple_symbol) @name)) @definition.property
  (#any-of? @_macro "has_many" "has_one" "belongs_to" "has_and_belongs_to_many" "has_one_attached" "has_many_attached"))
((_ !receiver method: (identifier) @_macro arguments: (_ . [(simple_symbol) @name (string (string_content) @name) (pair . (_) @name)]) block: (_)) @definition.command
  (#eq? @_macro "task"))

((_ !receiver method: (identifier) @_load arguments: (_ . (string (string_content) @import)))
  (#any-of? @_load "require" "require_relative" "load"))
((_ method: (identifier) @_load arguments: (_ . (simple_symbol) @import.name . (string (string_content) @import)))
  (#eq? @_load "autoload"))

(_ !receiver method: [(identifier) (constant)] @call)
(_ receiver: (_) @call.of method: [(identifier) (constant)] @call)
; A bare name is a call where it is a statement that others follow; elsewhere it may be a local variable.
(body_statement (identifier) @call . (_))
(then (identifier) @call . (_))
((_ [condition: (identifier) left: (identifier) right: (identifier) operand: (identifier)] @call) (#match? @call "[?!]$"))

(superclass [(constant) @inherits (_ name: (constant) @inherits) (_ object: [(constant) @inherits (_ name: (constant) @inherits)])])
((_ !receiver method: (identifier) @_mix arguments: (_ [(constant) @implements (scope_resolution name: (constant) @implements)]))
  (#any-of? @_mix "include" "extend" "prepend"))
(_ receiver: (constant) @reference)
(scope_resolution scope: (constant) @reference.of name: (constant) @reference)
(argument_list (constant) @reference)
(exceptions (constant) @reference)
(pattern (constant) @reference)
(pair value: (constant) @reference)
(array (constant) @reference)

((_ object: (constant) @_env . (_ (string_content) @fact.env)) (#eq? @_env "ENV"))
(comment) @comment

; The table of a model.
((_ left: (_ receiver: (self) method: (identifier) @_name) right: (_ (string_content) @fact.schema))
  (#eq? @_name "table_name"))
