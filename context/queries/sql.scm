; What a sql file defines and imports.
