# Compiles into a folder of its own and puts it in the place of `dist` when it is whole: a service that runs from there,
# and the command line, do not miss their files for as long as the compiler takes.
set -eu
made=.dist-$$
trap 'rm -rf "$made"' EXIT
node_modules/.bin/tsc -p tsconfig.build.json --outDir "$made"
rm -rf dist
mv "$made" dist
