import { defineConfig } from "vite";
import { offline } from "./build/offline.ts";

// The headers that `rukh serve` sends too: with them the page is cross-origin isolated.
const headers = { "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp" };

export default defineConfig({
  // Relative addresses: the page runs from any folder of any host.
  base: "./",
  build: { target: "es2022", assetsInlineLimit: 0, chunkSizeWarningLimit: 700, modulePreload: { polyfill: false } },
  worker: { format: "es" },
  server: { headers },
  preview: { headers },
  plugins: [offline()],
});
