/** Tools that read the state of the service: doctor, preflight, queue and receivers; for operators. */
import { type Data, listIn, listText, neededBy, requestOf, type Tool, toolOf } from "./tool.ts";

const findingLine = ({ state, check, detail }: Data): string => `${state} ${check}: ${detail}`;

const receiverLine = ({ name, state, reply, last_day: day = {} }: Data): string =>
  `${name}: ${state}${reply ? ` (${reply})` : ""}; last day ${day.delivered} delivered, ${day.deferred} deferred, ${day.failed} failed`;

const triedLine = ({ name, verdict, reply, advice }: Data): string =>
  `${name}: ${verdict}${reply ? ` (${reply})` : ""}${advice ? ` ${advice}` : ""}`;

export const HOST_TOOLS: readonly Tool[] = [
  {
    name: "doctor",
    title: "Examine the host",
    description:
      "What stops or hurts delivery from the host of the service, as last examined: each check with what was found and how to fix it.",
    needs: neededBy("getDoctor"),
    fields: {
      run_now: { type: "boolean", description: "Whether to examine the host now, which takes up to 30 seconds." },
    },
    async run({ input, request }) {
      const { body: data } = await request(requestOf(input.run_now === true ? "runDoctor" : "getDoctor", {}));
      const found = listIn(data.data);
      const wrong = found.filter(({ state }) => state !== "ok").map(findingLine);
      return { data, text: listText(`${found.length - wrong.length} of ${found.length} checks are ok.`, wrong) };
    },
  },
  toolOf({
    operation: "runPreflight",
    name: "preflight",
    title: "Test the large receivers",
    description:
      "Whether large receivers take mail from the service's addresses: a session with each, in which nothing is sent. It takes up to 20 seconds, and each receiver is tried once an hour at most.",
    text: ({ summary, addresses }) =>
      listText(
        summary,
        listIn(addresses).flatMap(({ address, receivers }) =>
          listIn(receivers).map((each) => `${address} ${triedLine(each)}`),
        ),
      ),
  }),
  toolOf({
    operation: "getQueue",
    name: "get_queue",
    title: "Get the queue",
    description: "What waits in all accounts, by recipient domain, and why.",
    text: ({ waiting, unknown, destinations, delivery_paused: isPaused }) =>
      listText(
        `Recipients that wait: ${waiting}, unknown: ${unknown}.${isPaused ? " Delivery waits after a restore." : ""}`,
        listIn(destinations).map(({ domain, waiting: count, wait = {} }) => `${domain}: ${count}. ${wait.text ?? ""}`),
      ),
  }),
  toolOf({
    operation: "listReceivers",
    name: "list_receivers",
    title: "List receivers",
    description:
      "Who takes mail, by name: whether they accept it now, their limits, and what was counted in the last day.",
    text: ({ data, next }) => listText(next ? `More follow, with after ${next}.` : "", listIn(data).map(receiverLine)),
  }),
  toolOf({
    operation: "getReceiver",
    name: "get_receiver",
    title: "Get a receiver",
    description: "One receiver: its limits, whether it accepts mail from each sending address, and its last replies.",
    params: { name: { type: "string", minLength: 1, maxLength: 253, description: "The name, such as `gmail`." } },
    text: receiverLine,
  }),
];
