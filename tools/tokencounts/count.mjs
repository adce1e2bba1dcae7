// Counts the tokens of each text of a file of lines {"kind", "text"} by the vocabularies that js-tiktoken brings along, and writes
// the counts beside the texts: node count.mjs ../../internal/text/testdata/tokens.jsonl
import { readFileSync, writeFileSync } from "node:fs";
import { getEncoding } from "js-tiktoken";

const names = ["cl100k_base", "o200k_base"];
const encodings = names.map((name) => getEncoding(name));
const file = process.argv[2];
const lines = readFileSync(file, "utf8").split("\n").filter(Boolean).map((line) => {
  const { kind, text } = JSON.parse(line);
  const out = { kind, text };
  names.forEach((name, i) => (out[name] = encodings[i].encode(text, [], []).length));
  return JSON.stringify(out) + "\n";
});
writeFileSync(file, lines.join(""));
