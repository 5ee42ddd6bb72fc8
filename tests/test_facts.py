"""What a file states through calls, decorators and its place; and what only looks like it."""

import pytest
from agenvantage.context.facts import INTERESTING, captured, command_of_path, migration_of_path
from agenvantage.context.parse import analyse
from agenvantage.context.routes import frameworks_of, routes_of_path


def facts(kind, path, source):
    """name:detail of the facts of a kind, in order of place."""
    found = [fact for fact in analyse(source.encode(), path).facts if fact.kind == kind]
    return [f"{fact.name}:{fact.detail}" if fact.detail else fact.name for fact in found]


ROUTES = {
    "flask": ("a.py", '@app.route("/x/<id>", methods=["POST"])\ndef f(): ...', "/x/<id>:POST"),
    "flask without methods": ("a.py", '@bp.route("/x")\ndef f(): ...', "/x"),
    "flask rule": ("a.py", 'app.add_url_rule("/x", view_func=f)', "/x"),
    "fastapi": ("a.py", '@router.get("/users/{id}", response_model=User)\nasync def f(): ...', "/users/{id}:GET"),
    "fastapi root": ("a.py", '@router.post("")\nasync def f(): ...', "/:POST"),
    "fastapi socket": ("a.py", '@app.websocket("/ws")\nasync def f(): ...', "/ws:WEBSOCKET"),
    "starlette": ("a.py", 'routes = [Route("/x", endpoint=f, methods=["PUT"])]', "/x:PUT"),
    "django": ("a.py", 'urlpatterns = [path("users/<int:id>/", views.user)]', "users/<int:id>/"),
    "django regex": ("a.py", 'urlpatterns = [re_path(r"^x/$", views.x)]', "^x/$"),
    "django include": ("a.py", 'urlpatterns = [path("api/", include("api.urls"))]', "api/:PREFIX"),
    "rest framework": ("a.py", 'router.register("users", UserViewSet)', "users"),
    "aiohttp": ("a.py", 'app.router.add_get("/x", handler)', "/x:GET"),
    "aiohttp by method": ("a.py", 'app.router.add_route("PUT", "/x", handler)', "/x:PUT"),
    "aiohttp table": ("a.py", 'app.add_routes([web.post("/x", handler)])', "/x:POST"),
    "express": ("a.js", "app.get('/x/:id', (req, res) => res.send(1))", "/x/:id:GET"),
    "express controller": ("a.js", "router.post('/x', auth, controllers.x)", "/x:POST"),
    "express mount": ("a.js", "app.use('/api', apiRouter)", "/api:PREFIX"),
    "express chain": ("a.js", "router.route('/x').get(show)", "/x"),
    "koa": ("a.ts", "router.del('/x', async (ctx) => {})", "/x:DELETE"),
    "hono": ("a.ts", "const api = new Hono(); api.get('/x', (c) => c.text('x'))", "/x:GET"),
    "fastify": ("a.ts", "fastify.route({ method: 'GET', url: '/x', handler })", "/x:GET"),
    "fastify schema": ("a.ts", "app.get('/x', { schema }, async () => {})", "/x:GET"),
    "nest": ("a.ts", "class A { @Get(':id') one() {} }", ":id:GET"),
    "nest without path": ("a.ts", "class A { @Post() add() {} }", "/:POST"),
    "nest controller": ("a.ts", "@Controller('cats')\nexport class A {}", "cats:PREFIX"),
    "nest controller object": ("a.ts", "@Controller({ path: 'cats', version: '1' })\nclass A {}", "cats:PREFIX"),
    "tanstack": ("a.tsx", "export const Route = createFileRoute('/x')({})", "/x"),
    "net/http": ("a.go", 'package a\nfunc f() { http.HandleFunc("/x", g) }', "/x"),
    "net/http pattern": ("a.go", 'package a\nfunc f() { mux.Handle("POST /x", g) }', "/x:POST"),
    "gorilla": ("a.go", 'package a\nfunc f() { r.HandleFunc("/x", g).Methods("GET", "PUT") }', "/x:GET,PUT"),
    "gin": ("a.go", 'package a\nfunc f() { v1.GET("/x/:id", h.show) }', "/x/:id:GET"),
    "gin group": ("a.go", 'package a\nfunc f() { v1 := router.Group("/v1") }', "/v1:PREFIX"),
    "chi": ("a.go", 'package a\nfunc f() { r.Delete("/x", h) }', "/x:DELETE"),
    "spring": ("A.java", 'class A { @GetMapping("/x/{id}") String f() { return ""; } }', "/x/{id}:GET"),
    "spring list": ("A.java", 'class A { @PostMapping({"/a", "/b"}) String f() { return ""; } }', "/a:POST /b:POST"),
    "spring general": (
        "A.java",
        'class A { @RequestMapping(value = "/x", method = RequestMethod.PUT) void f() {} }',
        "/x:PUT",
    ),
    "spring class": ("A.java", '@RequestMapping("/api")\nclass A {}', "/api:PREFIX"),
    "jax-rs": ("A.java", 'class A { @GET @Path("x/{id}") String f() { return ""; } }', "x/{id}:GET"),
    "javalin": ("A.java", 'class A { void f() { app.get("/x", ctx -> ctx.result("")); } }', "/x:GET"),
    "spring in kotlin": ("a.kt", '@GetMapping("/x")\nfun f() = 1', "/x:GET"),
    "ktor": ("a.kt", 'fun r() { routing { get("/x") { call.respond("") } } }', "/x:GET"),
    "rails": ("routes.rb", 'get "/x", to: "pages#x"', "/x:GET"),
    "rails arrow": ("routes.rb", 'post "x/:id" => "pages#x", as: :x', "x/:id:POST"),
    "rails resources": ("routes.rb", "resources :users, only: [:index]", "users:RESOURCES"),
    "sinatra": ("a.rb", "get '/x' do\n  1\nend", "/x:GET"),
    "laravel": ("a.php", "<?php Route::get('users/{id}', [A::class, 'show']);", "users/{id}:GET"),
    "laravel match": ("a.php", "<?php Route::match(['get', 'post'], '/x', 'A@b');", "/x:GET,POST"),
    "laravel prefix": ("a.php", "<?php Route::prefix('admin')->group(f());", "admin:PREFIX"),
    "slim": ("a.php", "<?php $app->post('/x', function () {});", "/x:POST"),
    "symfony": (
        "a.php",
        "<?php class A { #[Route('/x', name: 'x', methods: ['GET', 'POST'])] function f() {} }",
        "/x:GET,POST",
    ),
    "symfony class": ("a.php", "<?php #[Route('/admin')] class A {}", "/admin:PREFIX"),
    "asp.net": ("A.cs", 'class A { [HttpGet("{id}")] void F() {} }', "{id}:GET"),
    "asp.net class": ("A.cs", '[Route("api/x")] class A {}', "api/x:PREFIX"),
    "asp.net minimal": ("A.cs", 'app.MapPost("/x", () => 1);', "/x:POST"),
    "axum": ("a.rs", 'fn r() { Router::new().route("/x", get(show).post(add)); }', "/x:GET,POST"),
    "axum nest": ("a.rs", 'fn r() { Router::new().nest("/api", api()); }', "/api:PREFIX"),
    "actix": ("a.rs", '#[get("/x/{id}")]\nasync fn f() {}', "/x/{id}:GET"),
    "rocket": ("a.rs", '#[post("/x/<id>?<page>", data = "<d>")]\nfn f() {}', "/x/<id>:POST"),
    "react router": ("a.jsx", 'const r = <Route path="/x" element={<X />} />;', "/x"),
    "vapor": ("a.swift", 'app.get("hello", ":name") { req in "x" }', "/hello/:name:GET"),
}
NO_ROUTES = {
    "requests": ("a.py", 'requests.get("/x")'),
    "test client": ("a.py", 'assert client.get("/x").status_code == 200'),
    "mapping": ("a.py", 'x = data.get("/a", default)'),
    "component with a path": ("a.jsx", 'const r = <Icon path="/x" />;'),
    "path of a file": ("a.py", 'p = path("x", y)'),
    "decorator without path": ("a.py", '@cache.get("key")\ndef f(): ...'),
    "register of other things": ("a.py", 'admin.register("x", Y)'),
    "axios": ("a.js", "axios.get('/x', { params })"),
    "axios with data": ("a.js", "api.post('/users', payload)"),
    "client with callback": ("a.js", "http.get('/x', (res) => {})"),
    "supertest": ("a.js", "request(app).get('/x').expect(200)"),
    "map": ("a.js", "cache.get('/k', () => load())"),
    "jquery": ("a.js", "$.get('/x', function (d) {})"),
    "path with substitution": ("a.js", "app.get(`/x/${y}`, h)"),
    "go client": ("a.go", 'package a\nfunc f() { http.Get("/x"); client.Get("/x", &out) }'),
    "go header": ("a.go", 'package a\nfunc f() { h.Get("/x", "y") }'),
    "java map": ("A.java", 'class A { void f() { map.get("/x"); } }'),
    "mock mvc": ("A.java", 'class A { void f() { mockMvc.perform(get("/x")); } }'),
    "ktor client": ("a.kt", 'fun f() { client.get("/x") { header("a", "b") } }'),
    "rspec request": ("a_spec.rb", 'get "/x", params: { a: 1 }'),
    "php array": ("a.php", "<?php $this->cache->get('/x', $y);"),
    "rust map": ("a.rs", 'fn f() { m.get("/x"); }'),
}


@pytest.mark.parametrize("case", ROUTES)
def test_a_route_is_found(case):
    path, source, expected = ROUTES[case]
    assert " ".join(facts("route", path, source)) == expected


@pytest.mark.parametrize("case", NO_ROUTES)
def test_a_look_alike_is_no_route(case):
    assert facts("route", *NO_ROUTES[case]) == []


COMMANDS = {
    "argparse": ("a.py", 'sub.add_parser("run", help="Run it.")', "run:Run it."),
    "click": ("a.py", '@cli.command("sync-all")\ndef f(): ...', "sync-all"),
    "click by function": ("a.py", "@cli.command()\ndef sync_all(): ...", "sync-all"),
    "typer by name": ("a.py", '@app.command(name="go")\ndef f(): ...', "go"),
    "commander": ("a.js", "program.command('serve <port>').description('x')", "serve"),
    "commander chain": ("a.js", "program.name('x').version('1').command('serve')", "serve"),
    "yargs": (
        "a.ts",
        "yargs(hideBin(process.argv)).command('build [x]', 'Build all things')",
        "build:Build all things",
    ),
    "editor": ("a.ts", "vscode.commands.registerCommand('ext.run', f)", "ext.run"),
    "kingpin": ("a.go", 'package a\nfunc f() { app.Command("check", "Check the files.") }', "check:Check the files."),
    "clap": ("a.rs", '#[command(name = "rg")]\nstruct A {}', "rg"),
    "clap subcommands": ("a.rs", "#[derive(Subcommand)]\nenum C { Serve, DryRun { x: u8 } }", "dry-run serve"),
    "picocli": ("A.java", '@Command(name = "add", description = "Adds.")\nclass A {}', "add:Adds."),
    "thor": ("a.rb", 'class A < Thor\n  desc "run NAME", "Runs it"\n  def run; end\nend', "run:Runs it"),
    "cobra": ("a.go", 'package a\nvar c = &cobra.Command{Use: "run <x>", Short: "Runs."}', "run"),
    "urfave": ("a.go", 'package a\nvar c = &cli.Command{Name: "run"}', "run"),
    "artisan": ("a.php", "<?php class A extends Command { protected $signature = 'mail:send {user}'; }", "mail:send"),
    "rake": ("a.rake", "namespace :db do\n  task seed: :environment do\n  end\nend", "db:seed"),
    "symfony": ("a.php", "<?php #[AsCommand(name: 'app:x')] class A {}", "app:x"),
    "system.commandline": ("A.cs", 'var c = new Command("sync", "Syncs all things");', "sync:Syncs all things"),
}
NO_COMMANDS = {
    "database command": ("a.js", "db.command('ping')"),
    "process": ("a.go", 'package a\nfunc f() { exec.Command("git", "log -1") }'),
    "process in rust": ("a.rs", 'fn f() { Command::new("git"); }'),
    "rake description": ("a.rake", 'desc "Loads it all"'),
    "go literal": ("a.go", 'package a\nvar c = Person{Name: "run"}'),
    "entity with a name": ("a.php", "<?php $user->setName('ann'); $this->setName('ann');"),
}


@pytest.mark.parametrize("case", COMMANDS)
def test_a_command_is_found(case):
    path, source, expected = COMMANDS[case]
    assert " ".join(sorted(facts("command", path, source))) == expected


@pytest.mark.parametrize("case", NO_COMMANDS)
def test_a_look_alike_is_no_command(case):
    assert facts("command", *NO_COMMANDS[case]) == []


OPTIONS = {
    "argparse": ("a.py", 'p.add_argument("-o", "--out", help="Where to.")', "--out:Where to."),
    "argparse positional": ("a.py", 'p.add_argument("source")', "source"),
    "click": ("a.py", '@click.option("--limit/--no-limit", "-l", help="Cap it.")\ndef f(): ...', "--limit:Cap it."),
    "typer": ("a.py", 'def f(x: int = typer.Option(1, "--size")): ...', "--size"),
    "pytest": ("a.py", 'group.addoption("--slow", action="store_true")', "--slow"),
    "commander": ("a.js", "program.option('-p, --port <n>', 'Port to use')", "--port:Port to use"),
    "yargs": ("a.js", "yargs.option('port', { type: 'number' })", "port"),
    "flag": ("a.go", 'package a\nvar p = flag.String("port", "80", "port to use")', "port:port to use"),
    "pflag": ("a.go", 'package a\nfunc f() { c.Flags().BoolVarP(&x, "web", "w", false, "Open it") }', "web:Open it"),
    "kingpin": ("a.go", 'package a\nfunc f() { a.Flag("web.url", "Where it is.") }', "web.url:Where it is."),
    "clap": ("a.rs", 'struct A {\n  #[arg(short, long = "max-depth")]\n  d: u8,\n}', "--max-depth"),
    "clap by field": ("a.rs", "struct A {\n  #[arg(short, long)]\n  /// How deep.\n  max_depth: u8,\n}", "--max-depth"),
    "clap builder": ("a.rs", 'fn f() { Arg::new("x").long("max-depth").help("y"); }', "--max-depth"),
    "picocli": ("A.java", 'class A { @Option(names = {"-v", "--verbose"}) boolean v; }', "--verbose"),
    "thor": ("a.rb", "option :dry_run, type: :boolean", "--dry-run"),
    "optionparser": ("a.rb", 'opts.on("-v", "--[no-]verbose", "Say more") { }', "--verbose:Say more"),
    "symfony": ("a.php", "<?php $this->addOption('force', null, 1);", "--force"),
    "commandlineparser": ("A.cs", "class A { [Option('v', \"verbose\")] bool V; }", "--verbose"),
    "system.commandline": ("A.cs", 'var o = new Option<string>("--out", "x");', "--out"),
    "cli11": ("a.cpp", 'void f() { app.add_option("-o,--out", out, "Where to"); }', "--out:Where to"),
}
NO_OPTIONS = {
    "options of a browser": ("a.py", 'chrome_options.add_argument("--headless")'),
    "strategy": ("a.rb", 'option :name, "threads"'),
    "log field": ("a.go", 'package a\nfunc f() { zap.String("key", "a", "b") }'),
    "stringer": ("a.go", "package a\nfunc f() { x.String() }"),
    "event": ("a.rb", 'button.on("-v", "x")'),
}


@pytest.mark.parametrize("case", OPTIONS)
def test_an_option_is_found(case):
    path, source, expected = OPTIONS[case]
    assert facts("option", path, source) == [expected]


@pytest.mark.parametrize("case", NO_OPTIONS)
def test_a_look_alike_is_no_option(case):
    assert facts("option", *NO_OPTIONS[case]) == []


ENVIRONMENT = {
    "python": ("a.py", 'os.environ.get("A_B"); os.getenv("C_D", "d")', ["A_B", "C_D"]),
    "python subscript": ("a.py", 'os.environ["A_B"]', ["A_B"]),
    "django-environ": ("a.py", 'DEBUG = env.bool("DEBUG"); KEY = env("KEY")', ["DEBUG", "KEY"]),
    "node": ("a.js", "process.env.A_B; process.env['C_D']", ["A_B", "C_D"]),
    "vite": ("a.ts", "import.meta.env.VITE_URL", ["VITE_URL"]),
    "go": ("a.go", 'package a\nfunc f() { os.Getenv("A_B"); os.LookupEnv("C_D") }', ["A_B", "C_D"]),
    "rust": ("a.rs", 'fn f() { std::env::var("A_B"); env!("C_D"); }', ["A_B", "C_D"]),
    "java": ("A.java", 'class A { String x = System.getenv("A_B"); }', ["A_B"]),
    "kotlin": ("a.kt", 'val x = System.getenv("A_B")', ["A_B"]),
    "scala": ("a.scala", 'object A { val x = sys.env("A_B"); val y = sys.env.getOrElse("C_D", "") }', ["A_B", "C_D"]),
    "ruby": ("a.rb", "ENV['A_B']; ENV.fetch('C_D', nil)", ["A_B", "C_D"]),
    "php": ("a.php", "<?php getenv('A_B'); env('C_D', 1); $_ENV['E_F'];", ["A_B", "C_D", "E_F"]),
    "csharp": ("A.cs", 'var x = Environment.GetEnvironmentVariable("A_B");', ["A_B"]),
    "c": ("a.c", 'int f(void) { return getenv("A_B") != 0; }', ["A_B"]),
    "c++": ("a.cpp", 'auto x = std::getenv("A_B");', ["A_B"]),
    "swift": ("a.swift", 'let x = Environment.get("A_B")', ["A_B"]),
}
NO_ENVIRONMENT = {
    "mapping": ("a.py", 'data.get("A_B")'),
    "request": ("a.py", 'request.environ["werkzeug.request"]'),
    "function in small letters": ("a.py", 'env("name")'),
    "request in php": ("a.php", "<?php $_SERVER['REQUEST_URI'];"),
    "hash": ("a.rb", "OPTIONS.fetch('A_B')"),
    "built at run time": ("a.py", 'os.getenv(f"A_{b}")'),
    "rust variable": ("a.rs", 'fn f() { x.var("A_B"); }'),
}


@pytest.mark.parametrize("case", ENVIRONMENT)
def test_a_variable_of_the_environment_is_found(case):
    path, source, expected = ENVIRONMENT[case]
    assert facts("env", path, source) == expected


@pytest.mark.parametrize("case", NO_ENVIRONMENT)
def test_a_look_alike_is_no_variable_of_the_environment(case):
    assert facts("env", *NO_ENVIRONMENT[case]) == []


CONFIGURATION = {
    "python": ("a.py", 'settings.get("LOG_LEVEL"); app.config.get("mail.host")', ["LOG_LEVEL", "mail.host"]),
    "node-config": ("a.js", "config.get('db.host')", ["db.host"]),
    "nconf": ("a.js", "nconf.get('url')", ["url"]),
    "nest": ("a.ts", "this.configService.getOrThrow('app.port')", ["app.port"]),
    "viper": ("a.go", 'package a\nfunc f() { viper.GetString("log.level") }', ["log.level"]),
    "spring": ("A.java", 'class A { @Value("${mail.host:localhost}") String h; }', ["mail.host"]),
    "spring environment": ("A.java", 'class A { void f() { env.getProperty("mail.host"); } }', ["mail.host"]),
    "spring properties": ("A.java", '@ConfigurationProperties(prefix = "mail")\nclass A {}', ["mail"]),
    "microprofile": ("A.java", 'class A { @ConfigProperty(name = "mail.host") String h; }', ["mail.host"]),
    "typesafe": ("a.scala", 'object A { config.getString("mail.host") }', ["mail.host"]),
    "laravel": ("a.php", "<?php config('mail.host');", ["mail.host"]),
    "python subscript": ("a.py", 'app.config["SECRET_KEY"] = 1', ["SECRET_KEY"]),
    "django": ("a.py", 'getattr(settings, "LOGIN_URL", "/")', ["LOGIN_URL"]),
    "asp.net subscript": ("A.cs", 'var s = _configuration["Mail:Host"];', ["Mail:Host"]),
    "asp.net": ("A.cs", 'var s = builder.Configuration.GetSection("Mail");', ["Mail"]),
}
NO_CONFIGURATION = {
    "mapping called so": ("a.py", 'element = config.get("element")'),
    "mapping by subscript": ("a.py", 'x = config["element"]'),
    "name built at run time": ("a.py", 'getattr(settings, f"LOGIN_{x}"); app.config[f"A_{b}_C"]'),
    "other attribute": ("a.py", 'getattr(thing, "LOGIN_URL")'),
    "map": ("a.js", "values.get('db.host')"),
    "getter": ("A.java", 'class A { void f() { row.getString("a.b"); } }'),
    "plain text": ("A.java", 'class A { @Value("fixed") String h; }'),
}


@pytest.mark.parametrize("case", CONFIGURATION)
def test_a_key_of_the_configuration_is_found(case):
    path, source, expected = CONFIGURATION[case]
    assert facts("config", path, source) == expected


@pytest.mark.parametrize("case", NO_CONFIGURATION)
def test_a_look_alike_is_no_key_of_the_configuration(case):
    assert facts("config", *NO_CONFIGURATION[case]) == []


TABLES = {
    "alembic": ("a.py", 'op.create_table("users", sa.Column("id"))', "users:create_table"),
    "alembic column": ("a.py", 'op.add_column("users", sa.Column("name"))', "users:add_column"),
    "sqlalchemy": ("a.py", 'users = Table("users", metadata, Column("id"))', "users"),
    "sqlalchemy model": ("a.py", 'class User(Base):\n    __tablename__ = "users"', "users"),
    "django model": ("a.py", "class User(models.Model):\n    name = 1", "User"),
    "sqlmodel": ("a.py", "class User(UserBase, table=True):\n    id: int", "User"),
    "gorm": ("a.go", 'package a\nfunc (User) TableName() string { return "users" }', "users"),
    "eloquent": ("a.php", "<?php class User extends Model { protected $table = 'users'; }", "users"),
    "active record": ("a.rb", 'class User < Base\n  self.table_name = "users"\nend', "users"),
    "entity framework set": ("A.cs", "class C { public DbSet<User> Users { get; set; } }", "User"),
    "django migration": ("a.py", 'migrations.CreateModel(name="User", fields=[])', "User:CreateModel"),
    "rails": ("a.rb", "create_table :users do |t|\nend", "users:create_table"),
    "rails column": ("a.rb", "add_column :users, :name, :string", "users.name:add_column"),
    "laravel": ("a.php", "<?php Schema::create('users', function ($t) {});", "users:create"),
    "knex": ("a.js", "knex.schema.createTable('users', (t) => {})", "users:createTable"),
    "sequelize": ("a.js", "sequelize.define('User', {})", "User:define"),
    "mongoose": ("a.js", "mongoose.model('User', userSchema)", "User"),
    "drizzle": ("a.ts", "export const users = pgTable('users', {})", "users:pgTable"),
    "typeorm": ("a.ts", "@Entity('users')\nexport class User {}", "users"),
    "typeorm object": ("a.ts", "@Entity({ name: 'users' })\nexport class User {}", "users"),
    "typeorm by class": ("a.ts", "@Entity()\nexport class User {}", "User"),
    "jpa": ("A.java", '@Entity @Table(name = "users") class User {}', "users"),
    "jpa by class": ("A.java", "@Entity class User {}", "User"),
    "diesel": ("a.rs", "diesel::table! { users (id) { id -> Int4, } }", "users"),
    "entity framework": ("A.cs", 'm.Entity<User>().ToTable("users");', "users:ToTable"),
    "entity framework migration": ("A.cs", 'b.CreateTable(name: "users", columns: t => t);', "users:CreateTable"),
    "doctrine": ("a.php", "<?php #[ORM\\Entity] #[ORM\\Table(name: 'users')] class User {}", "users"),
}
NO_TABLES = {
    "class of another kind": ("a.py", "class User(torch.Model):\n    pass"),
    "sheet": ("a.py", 'Table("users", rows)'),
    "model of something else": ("a.js", "ml.model('gpt', options)"),
    "factory": ("a.js", "Factory.create('user')"),
    "define": ("a.js", "define('mod', function () {})"),
    "builder": ("a.php", "<?php Builder::create('users');"),
    "view": ("a.rb", "@t.add_column :users, :name"),
}


@pytest.mark.parametrize("case", TABLES)
def test_a_table_is_found(case):
    path, source, expected = TABLES[case]
    assert facts("schema", path, source) == [expected]


@pytest.mark.parametrize("case", NO_TABLES)
def test_a_look_alike_is_no_table(case):
    assert facts("schema", *NO_TABLES[case]) == []


def test_a_fact_has_the_line_of_its_call():
    (fact,) = analyse(b'\n\n@app.get(\n    "/x",\n)\ndef f(): ...\n', "a.py").facts
    assert (fact.kind, fact.line) == ("route", 3)


def test_a_migration_is_named_in_its_attribute():
    assert facts("migration", "A.cs", '[Migration("20240101_Init")] class Init {}') == ["20240101_Init"]


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("db/migrate/20240101000000_create_users.rb", "20240101000000_create_users"),
        ("database/migrations/2014_10_12_000000_create_users.php", "2014_10_12_000000_create_users"),
        ("shop/migrations/0001_initial.py", "0001_initial"),
        ("migrations/versions/ab12cd_add.py", "ab12cd_add"),
        ("src/main/resources/db/migration/V1_2__init.sql", "V1_2__init"),
        ("prisma/migrations/20240101_init/migration.sql", "20240101_init"),
        ("migrations/000001_init.up.sql", "000001_init"),
        ("src/Data/Migrations/20231021_Init.cs", "20231021_Init"),
    ],
)
def test_a_migration_is_told_by_its_path(path, name):
    assert [fact.name for fact in migration_of_path(path)] == [name]


@pytest.mark.parametrize(
    "path",
    [
        "shop/migrations/__init__.py",
        "lib/migrations/runner.js",
        "docs/migrations/v2.md",
        "Migrations/2023_X.Designer.cs",
    ],
)
def test_what_lies_near_migrations_is_none(path):
    assert migration_of_path(path) == ()


def test_a_management_command_is_told_by_its_path():
    assert [fact.name for fact in command_of_path("shop/management/commands/import_goods.py")] == ["import_goods"]
    assert command_of_path("shop/management/commands/__init__.py") == ()


@pytest.mark.parametrize(
    ("path", "frameworks", "route"),
    [
        ("app/page.tsx", "", "/"),
        ("src/app/(shop)/items/[id]/page.tsx", "", "/items/[id]"),
        ("src/app/api/users/route.ts", "", "/api/users"),
        ("src/routes/+page.svelte", "", "/"),
        ("src/routes/blog/[slug]/+page.server.ts", "", None),
        ("src/routes/blog/[slug]/+page.svelte", "", "/blog/[slug]"),
        ("src/pages/about.astro", "", "/about"),
        ("pages/api/users.ts", "next", "/api/users"),
        ("pages/index.vue", "nuxt", "/"),
        ("server/api/users.post.ts", "nuxt", "/api/users:POST"),
        ("pages/api/users.ts", "", None),
        ("src/pages/Home.jsx", "", None),
        ("pages/_app.tsx", "next", None),
        ("pages/x.test.tsx", "next", None),
        ("src/components/page.tsx", "", None),
    ],
)
def test_a_file_answers_a_route_by_its_place(path, frameworks, route):
    found = routes_of_path(path, frozenset(frameworks.split()))
    assert [f"{f.name}:{f.detail}" if f.detail else f.name for f in found] == ([] if route is None else [route])


def test_frameworks_are_told_by_their_config():
    assert frameworks_of(["apps/web/next.config.mjs", "nuxt.config.ts", "x/next.config.json"]) == {"next", "nuxt"}


def test_what_a_query_captured_is_named_as_a_fact():
    assert captured("command", "clone <repository> [<directory>]") == "clone"
    assert captured("env", "werkzeug.request") is None
    assert captured("schema", "users") == "users"


def test_most_calls_are_not_looked_at():
    assert not INTERESTING & {"print", "append", "format", "map", "push", "println", "len", "toString"}


def test_a_file_full_of_interesting_calls_is_read_in_time_that_grows_with_it():
    calls = '    program.command("x").option("-a, --b", "c d")\n' * 2_000
    assert len(facts("command", "a.js", calls)) == 2_000
