import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** Files of fewer bytes fit one packet as they are. */
const leastBytes = 1024;

/** Writes `<file>.br` beside each text of the build, so that the service compresses nothing itself. */
function brotli(): Plugin {
  let folder = '';
  return {
    name: 'brotli',
    apply: 'build',
    configResolved: ({ root, build }) => {
      folder = join(root, build.outDir);
    },
    closeBundle: () => {
      for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
        const file = join(folder, name);
        if (!/\.(js|css|svg)$/.test(name) || statSync(file).size < leastBytes) continue;
        const bytes = readFileSync(file);
        const params = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
        writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params }));
      }
    },
  };
}

export default defineConfig({
  base: '/console/',
  plugins: [react(), brotli()],
  build: {
    target: 'es2023',
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1000,
    rolldownOptions: {
      output: {
        // One file instead of thirty: a slow connection pays its latency for each.
        codeSplitting: {
          groups: [{ name: 'first', tags: ['$initial'] }],
        },
      },
    },
  },
  server: { proxy: { '/v1': 'http://localhost:3000', '/admin': 'http://localhost:3000' } },
});
