"""What a path alone tells about a file's role."""

import pytest
from agenvantage.context.languages import role_of

ROLES = {
    "source": """
        src/app.py latest.py src/contest.rs app/contest/entry.rb src/attest/main.go cmd/tool/main.go lib/request.js
        src/Illuminate/Testing/TestResponse.php src/helper/testing/index.ts src/_pytest/capture.py
        src/main/java/org/springframework/samples/petclinic/Owner.java
        src/main/java/com/example/demo/DemoApplication.java src/main/java/org/example/vendor/VendorService.java
        app/models/vendor/vendor.rb resources/resource_spec.go src/Documentation/FixerDocumentGenerator.php
        internal/docs/markdown.go crates/core/flags/doc/man.rs app/Http/Controllers/Demo/SongController.php
        src/app/examples/list.tsx lib/mix/tasks/phx.gen.ex lib/migrations/migrate/Migrator.js
        src/Illuminate/Database/Migrations/Migrator.php pkg/cmd/install.go src/cli/upgrade-plugins.js
        scripts/install-all.sh bin/console script/rpmmacros config/routes.rb src/components/Button.vue
        templates/index.html src/external/client.ts lib/deps.js okhttp/CipherSuite.kt src/main/kotlin/PodSpec.kt
        src/Core/GIT.java public/src/client/account.js packages/playwright/src/index.ts
        wagtail/locales/templates/create.html src/snapshots/store.go api/golden.py src/dataset/__init__.py
        packages/babel-helper-fixtures/src/index.ts src/language/parser.ts db/seeds.rb scripts/backup artisan
        """,
    "test": """
        tests/test_app.py pkg/app_test.go src/test/java/AppTest.java src/testing_test.go test/test_helper.rb conftest.py
        spec/models/user_spec.rb spec/factories.rb spec/support/login.rb src/__tests__/App.tsx src/__mocks__/fs.js
        src/app.test.ts src/app.spec.tsx e2e/login.ts cypress/support/commands.js test/e2e.e2e-spec.ts lib/foo_test.exs
        Jellyfin.Api.Tests/Helpers.cs AlamofireTests/Helpers.swift FooTests/Helper.cs okhttp/src/jvmTest/kotlin/Mock.kt
        app/src/androidTest/java/Robot.java src/testFixtures/java/Bean.java core/src/intTest/java/CommandLine.java
        src/main/java/org/x/ParserIT.java tests/Unit/UserTest.php src/foo/tests.py src/stream/tests.rs t/basic.t
        test/cli.bats features/login.feature testing/test_main.py testing/python/raises.py
        packages/core/test-utils/render.ts internal/testutil/server.go src/parser-test.js test/acceptance/auth.js
        integration_tests/run.py api_tests/src/user.ts compass/app/testing/fakes.dart
        examples/tutorial/tests/test_blog.py test/unit/migrations/migrator.js google/strings_unittest.cc vitest.setup.ts
        test/data/services/client_test.dart crates/searcher/src/testutil.rs tests/docs/render.py lib/base_test_util.h
        """,
    "fixture": """
        tests/fixtures/a.json src/__fixtures__/user.ts testdata/certificate/cert.pem pkg/testdata/main.go tests/logo.png
        src/__snapshots__/App.test.tsx.snap spec/fixtures/stories.yml spec/cassettes/login.yml tests/data/sample.txt
        tests/page.spec.ts-snapshots/button.png test/golden/out.txt editions/golden/message.proto
        src/test/resources/application.yml okhttp/src/jvmTest/resources/certs.pem tests/resources/schema.sql
        test/inputs/a.js spec/content_for/layout.yml babel/test/fixtures/x/node_modules.js tests/keys/localhost.key
        test/views/hello.html tests/__init__.json fixtures/package.json testdata/types.pb.go
        test/test_data/generated/a.js crates/x/src/snapshots/a.snap viz/fixtures/box.json spec/data_fixtures/page.html
        Migrator.Test/xunit.runner.json tests/stubs/user.php
        """,
    "generated": """
        api/v1/types.pb.go dist/index.js packages/app/dist/bundle.css lib/user.g.dart lib/user.freezed.dart
        Form1.Designer.cs Migrations/20231021_Fix.Designer.cs Migrations/AppContextModelSnapshot.cs static/app.min.js
        static/app.min.css static/app.js.map proto/user_pb2.py proto/user_pb2_grpc.py src/__generated__/graphql.ts
        src/generated/client.ts pkg/zz_generated.deepcopy.go src/routeTree.gen.ts internal/ssh_grpc.pb.go
        src/types_generated.go proto/gen/api/user.go web/src/types/color_pb.ts Parser.g.cs .next/server/page.js
        google/empty.pb.cc service.grpc.pb.h assets/app.bundle.js
        """,
    "vendored": """
        node_modules/x/index.js vendor/github.com/pkg/errors/errors.go vendor/assets/javascripts/modal.js
        third_party/zlib/inflate.c 3rdparty/lib.c Pods/AFNetworking/AFHTTP.m static/js/src/vendor/ace.js
        resources/views/foo/vendor/mail.php node_modules/a/package-lock.json bower_components/jquery/bower.json
        .yarn/releases/yarn-4.cjs static/js/jquery-1.7.2.js public/js/bootstrap.bundle.js deps/lua/src/lapi.c
        external/googletest/gtest.cc wwwroot/lib/validation.js site-packages/six.py .pnp.cjs
        internal/third_party/dep/fs.go
        """,
    "lock": """
        package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb deno.lock composer.lock
        Cargo.lock Gemfile.lock poetry.lock uv.lock pdm.lock Pipfile.lock flake.lock go.sum go.work.sum mix.lock
        rebar.lock pubspec.lock ios/Podfile.lock Package.resolved Cartfile.resolved src/Api/packages.lock.json
        paket.lock gradle.lockfile Chart.lock .terraform.lock.hcl MODULE.bazel.lock conan.lock shard.lock symfony.lock
        docs/package-lock.json pixi.lock renv.lock
        """,
    "ci": """
        .github/workflows/ci.yml .github/actions/setup/action.yml .circleci/config.yml .buildkite/pipeline.yml
        .gitlab-ci.yml .gitlab/ci/build.yml .travis.yml azure-pipelines.yml .azure-pipelines/build.yml Jenkinsfile
        ci/snapshot.Jenkinsfile appveyor.yml .appveyor.yml .drone.yml .woodpecker.yml .woodpecker/test.yml
        bitbucket-pipelines.yml .cirrus.yml .semaphore/semaphore.yml .teamcity/settings.kts cloudbuild.yaml
        buildspec.yml codemagic.yaml bitrise.yml codecov.yml .forgejo/workflows/test.yml .gitea/workflows/test.yml
        .builds/alpine.yml .readthedocs.yaml ci/build.sh .tekton/push.yaml
        """,
    "build": """
        pyproject.toml setup.py setup.cfg requirements.txt requirements-dev.txt requirements/base.in tox.ini
        package.json pnpm-workspace.yaml turbo.json Makefile Makefile.am GNUmakefile Makefile.win CMakeLists.txt
        cmake/FindX.cmake configure.ac m4/gnutls.m4 meson.build BUILD BUILD.bazel WORKSPACE tools/rules.bzl Cargo.toml
        build.rs go.mod go.work pom.xml build.gradle app/build.gradle.kts settings.gradle.kts gradlew mvnw build.sbt
        project/plugins.sbt composer.json Gemfile foo.gemspec Rakefile mix.exs pubspec.yaml Package.swift Podfile
        App.xcodeproj/project.pbxproj Dockerfile Dockerfile.dev docker/api.dockerfile Api/Api.csproj App.sln
        Directory.Build.props webpack.config.js vite.config.ts rollup.config.mjs gulpfile.js justfile Taskfile.yml
        flake.nix dune-project foo.opam foo.cabal build.zig shard.yml Procfile Vagrantfile tests/CMakeLists.txt
        tests/Api.Tests/Api.Tests.csproj docs/package.json docs/Makefile environment.yml global.json
        """,
    "schema": """
        schema.sql db/schema.rb api/user.proto schema.graphql prisma/schema.prisma openapi.yaml docs/openapi.json
        swagger.json api/swagger.yaml spec/openapi.yaml asyncapi.yml avro/user.avsc xsd/order.xsd user.schema.json
        idl/user.thrift public/openapi/components/schemas/Error.yaml schemas/order.json service.wsdl wit/world.wit
        api/openapi.v1.yaml
        """,
    "config": """
        settings.yaml config/app.yml .eslintrc.json .prettierrc .editorconfig .gitignore .dockerignore .env.example
        tsconfig.json tsconfig.build.json jest.config.ts next.config.mjs tailwind.config.js website/docusaurus.config.ts
        docker-compose.yml compose.prod.yaml config/application.rb config/initializers/cors.rb
        config/environments/production.rb config/database.php config/runtime.exs .storybook/main.ts
        .vscode/settings.json .devcontainer/setup.sh .husky/pre-commit CODEOWNERS src/Api/appsettings.Development.json
        src/main/resources/application.yml .pre-commit-config.yaml .tool-versions .github/dependabot.yml netlify.toml
        vercel.json renovate.json nginx.conf infra/main.tf app.service .clang-format tests.env
        src/main/resources/logback.xml
        """,
    "style": "app/style.scss src/index.css theme/dark.less Layout.razor.css docs.css client/a.sass",
    "migration": """
        db/migrations/0001.py db/migrate/20240101000000_create_users.rb shop/migrations/0001_initial.py
        shop/migrations/__init__.py alembic/versions/ab12cd_add.py migrations/versions/fd4f_.py
        database/migrations/2014_10_12_000000_create_users_table.php src/main/resources/db/migration/V1__init.sql
        src/main/resources/db/migration/R__views.sql prisma/migrations/20240101_init/migration.sql
        migrations/000001_init.up.sql migrations/000001_init.down.sql
        priv/repo/migrations/20240101000000_create_users.exs src/Ordering/Migrations/20231026091055_Outbox.cs
        src/migrations/1600000000-Init.ts migration/src/m20220101_000001_user.rs db/changelog/db.changelog-master.yaml
        migrations/Version20240101000000.php store/migration/sqlite/0.4/00__user.sql
        """,
    "doc": """
        README.md docs/guide.md docs/conf.py docs/logo.svg CHANGELOG LICENSE LICENSE-MIT COPYING AUTHORS
        CONTRIBUTING.rst tests/README.md README.zh-CN.md CHANGES/123.feature examples/hello/main.py
        examples/app/package.json samples/app/main.ts example/lib/main.dart playground/app.vue apps/docs/app/page.tsx
        src/Button.stories.tsx .github/ISSUE_TEMPLATE/bug.yml .github/PULL_REQUEST_TEMPLATE.md AGENTS.md CLAUDE.md
        spec/design.md guides/testing/intro.md migrations/README.md docs/migration/v2.md man/tool.1 doc/tool.3
        demo/app.py crates/x/examples/simple.rs notes.txt documentation/src/main/java/Docs.java
        spring-boot-docs/src/main/java/My.java
        """,
    "data": """
        logo.png data/countries.json public/locales/en.json config/locales/de.yml locale/de/LC_MESSAGES/django.po
        app/src/main/res/values-de/strings.xml src/i18n/fr.json lang/de/auth.php data/words.txt robots.txt map.geojson
        App/Assets.xcassets/Contents.json messages_de.properties fonts/inter.woff2 assets/lemmy/add_post.json VERSION
        public/site.webmanifest
        """,
}


@pytest.mark.parametrize(("role", "path"), [(role, path) for role, paths in ROLES.items() for path in paths.split()])
def test_a_path_tells_the_role(role, path):
    assert role_of(path) == role


def test_the_table_is_broad():
    assert sum(len(paths.split()) for paths in ROLES.values()) > 300


def test_a_folder_named_like_a_hostile_pattern_is_read_in_linear_time():
    path = "/".join(["tests", *["data-"] * 5_000, "a" * 5_000 + "-requirements" * 500 + ".rb"])
    assert role_of(path) == "test"
