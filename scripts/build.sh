# Compiles into a folder of its own and puts it in the place of `dist` when it is whole: a service that runs from there,
# and the command line, do not miss their files for as long as the compiler takes.
# With `console-if-missing`, builds the console beside it where there is none yet; `npm run build` always builds it.
set -eu
made=.dist-$$
trap 'rm -rf "$made"' EXIT
console=
if [ "${1-}" = console-if-missing ] && [ ! -e web/dist/index.html ]; then
  npm run --silent build -w web &
  console=$!
fi
node_modules/.bin/tsc -p tsconfig.build.json --outDir "$made"
rm -rf dist
mv "$made" dist
if [ -n "$console" ]; then wait "$console"; fi
