import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

// `GANNET=http://127.0.0.1:7777 npm run dev` works against a running `gannet serve`. The origin is
// rewritten because the server answers to its own address only.
const server = process.env.GANNET ?? 'http://127.0.0.1:7777';
const proxied = {
  target: server,
  changeOrigin: true,
  headers: { origin: server },
};

export default defineConfig({
  plugins: [svelte()],
  build: {
    target: 'es2022',
    // The content security policy forbids data: addresses in styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 200,
  },
  server: {
    // The guide's pages stand in docs/.
    fs: { allow: ['..'] },
    proxy: { '/api': proxied, '/signin': proxied, '/s/': proxied, '/healthz': proxied },
  },
  test: { include: ['src/**/*.test.ts'], environment: 'node' },
});
