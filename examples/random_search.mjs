// Random search as a peer process: hpo run protein "cmd@node random_search.mjs"
import { createInterface } from "node:readline";

let space, state;
const random = () => (state = (1103515245 * state + 12345) % 2147483648) / 2147483648;

function value(h) {
  if (h.values) return h.values[Math.floor(random() * h.values.length)];
  if (h.kind === "int") return h.low + Math.floor(random() * (h.high - h.low + 1));
  return h.low + random() * (h.high - h.low);
}

const answers = {
  hello: () => ({ protocol: 1, version: "random_search.mjs 1.0" }),
  build: (message) => ((space = message.space), (state = message.seed % 2147483648), {}),
  ask: () => ({ config: Object.fromEntries(space.map((h) => [h.name, value(h)])) }),
  tell: () => ({}),
};

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  console.log(JSON.stringify(answers[message.do](message)));
}
