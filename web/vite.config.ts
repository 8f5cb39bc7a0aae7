import { defineConfig } from "vite";
import { early } from "./build/early.ts";
import { offline } from "./build/offline.ts";
import { packed } from "./build/packed.ts";

// The headers that `rukh serve` sends too: with them the page is cross-origin isolated.
const headers = { "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp" };

export default defineConfig({
  // Relative addresses: the page runs from any folder of any host.
  base: "./",
  // Sources of the engine that the chapters show are files of their own, loaded when somebody reads them.
  build: {
    rollupOptions: {
      output: {
        chunkFileNames: (chunk) =>
          chunk.moduleIds.some((id) => id.endsWith(".rs?raw"))
            ? "assets/source-[name]-[hash].js"
            : "assets/[name]-[hash].js",
      },
    },
    target: "es2022",
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 700,
    modulePreload: { polyfill: false },
  },
  worker: { format: "es" },
  server: { headers, fs: { allow: [".."] } },
  preview: { headers },
  plugins: [early(), offline(), packed()],
});
