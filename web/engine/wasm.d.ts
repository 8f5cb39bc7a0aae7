/** What bundlers make of `import url from "rukh-engine/rukh.wasm"`. */
declare const url: string;
export default url;
