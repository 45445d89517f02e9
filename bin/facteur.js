#!/usr/bin/env node
// The command, which is here before anything is built: npx keeps permanently what it finds when it looks first.
import { existsSync } from 'node:fs';

const program = new URL('../dist/main.js', import.meta.url);
if (existsSync(program)) {
  await import(program.href);
} else {
  console.error('Facteur is not built yet: run `npm run build`, or `npm start`');
  process.exitCode = 1;
}
