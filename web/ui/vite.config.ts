import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';

// Where `npm run dev` finds a running Harrier.
const backend = 'http://127.0.0.1:8080';

export default defineConfig({
  plugins: [svelte()],
  build: {
    target: 'es2022',
    // The content security policy allows no inline data except images.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 400,
  },
  // The runbook is part of the documentation, outside this folder.
  server: { proxy: { '/api': backend, '/metrics': backend }, fs: { allow: ['../..'] } },
  test: { include: ['src/**/*.test.ts'] },
});
