import type { Plugin } from "vite";

/** Has the browser fetch the engine while it still reads the page's code: it is most of the first load. */
export function early(): Plugin {
  return {
    name: "rukh-early",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler: (_html, { bundle }) =>
        Object.keys(bundle ?? {})
          .filter((name) => /\/rukh-(?!learn-|threads-).{8}\.wasm$/.test(name))
          .map((name) => ({
            tag: "link",
            attrs: { rel: "preload", as: "fetch", crossorigin: "anonymous", href: `./${name}` },
            injectTo: "head",
          })),
    },
  };
}
