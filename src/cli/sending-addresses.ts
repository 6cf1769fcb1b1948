/** `addresses` and `pools`: what mail leaves from, and whose mail from where. */
import {
  addSendingAddress,
  assignSendingPool,
  createSendingPool,
  type Decided,
  dropSendingAddress,
  findSendingAddress,
  type Invalid,
  pauseSendingAddress,
  type Refused,
  removeSendingPool,
} from "../app/decide/sending-addresses.ts";
import { setWarmUp } from "../app/decide/warm-up.ts";
import { addressView, poolView, poolViews, warmUpView } from "../app/reports/sending-address-view.ts";
import { type AddressReport, readSendingAddresses, warmUpsAt } from "../app/reports/sending-addresses.ts";
import { systemClock } from "../lib/clock.ts";
import { DEFAULT_SCHEDULE } from "../receivers/warm-up.ts";
import { DEFAULT_POOL, readSendingPlan, type SendingAddress } from "../spool/port/sending-addresses.ts";
import { type CommandContext, type CommandResult, type Implementation, Refusal, UsageError } from "./command.ts";
import { receiverFault } from "./receivers.ts";
import { table } from "./table.ts";
import { warmUpLines } from "./warm-up-text.ts";

const SOON = "Delivery follows within 10 seconds.";

/** What a refusal advises. `hints`: in place of the usual commands. */
type Hints = Partial<Record<Refused["reason"], string>>;

const HINTS: Hints = {
  unknown_address: "addresses list shows all",
  unknown_pool: "pools list shows all",
};

function settled<T>(decided: Decided<T>, hints: Hints = HINTS): T {
  if (decided.type === "done") return decided.value;
  if (decided.type === "invalid") throw new UsageError(usageText(decided));
  const hint = hints[decided.reason];
  throw new Refusal(hint === undefined ? decided.detail : `${decided.detail}; ${hint}`);
}

function usageText({ field, text, detail }: Invalid): string {
  switch (field) {
    case "address":
      return `${text} is not an IP address`;
    case "domain":
      return `${text} is not a domain`;
    case "pool":
      return `${text}: ${detail}`;
    case "schedule":
      return `--schedule: ${detail}, separated by commas`;
    case "receiver":
      return `--receiver ${text}: ${receiverFault(detail)}`;
    default:
      return `--${field} ${text}: ${detail}`;
  }
}

const textOption = (value: string | boolean | undefined): string | undefined =>
  typeof value === "string" ? value : undefined;

const given = <K extends string>(name: K, value: string | undefined) =>
  (value === undefined ? {} : { [name]: value }) as Partial<Record<K, string>>;

const stateText = ({ state, nodes }: AddressReport): string =>
  state !== "absent" ? state : nodes === null ? "this server does not have it" : "no live node has it";

/** As a command has left it. */
async function changed({ store }: CommandContext, address: SendingAddress): Promise<AddressReport> {
  const found = (await readSendingAddresses(store, store.nodes)).find(({ ip }) => ip === address.ip);
  return found ?? { ...address, nodes: null, state: "absent" };
}

export const listAddresses: Implementation = {
  async run(context) {
    const addresses = await readSendingAddresses(context.store, context.store.nodes);
    const rows = addresses.map((each) => [
      each.ip,
      each.name,
      each.bind ?? "",
      each.pool,
      each.warmUp === null ? stateText(each) : `${stateText(each)}, warming up`,
    ]);
    const none = "No sending address: mail leaves from what the system chooses.";
    return {
      json: addresses.map(addressView),
      text: table(["ADDRESS", "EHLO NAME", "LOCAL ADDRESS", "POOL", "STATE"], rows, none),
    };
  },
};

export const addAddress: Implementation = {
  async run(context, { positionals: [ip = ""], options }) {
    const { name, bind, pool } = options;
    if (typeof name !== "string") throw new UsageError("addresses add needs --name, the name for EHLO");
    const typed = { ip, name, ...given("bind", textOption(bind)), ...given("pool", textOption(pool)) };
    const isWarmingUp = options["warm-up"] === true;
    const create = { unknown_pool: `pools create ${pool} creates it` };
    const added = settled(await addSendingAddress(context.store, { ...typed, isWarmingUp }), create);
    const report = await changed(context, added);
    const begins = isWarmingUp ? ` Each receiver gets ${DEFAULT_SCHEDULE[0]} messages on the first day.` : "";
    const text =
      report.state === "absent"
        ? `${added.ip} is added, but nothing leaves from it yet: ${stateText(report)}.${begins}`
        : `Mail of pool ${added.pool} leaves from ${added.ip} with the name ${added.name}.${begins} ${SOON}`;
    return { json: addressView(report), text: `${text} Check its reverse name with preflight --address ${added.ip}.` };
  },
};

export const showAddress: Implementation = {
  async run(context, { positionals: [typed = ""] }) {
    const { ip } = settled(await findSendingAddress(context.store, typed));
    const found = (await readSendingAddresses(context.store, context.store.nodes)).find((each) => each.ip === ip);
    if (found === undefined) throw new Refusal(`${typed} is no sending address; addresses list shows all`);
    const lines = [
      `Address:   ${found.ip}`,
      `EHLO name: ${found.name}`,
      `Local:     ${found.bind ?? found.ip}`,
      `Pool:      ${found.pool}`,
      `State:     ${stateText(found)}`,
    ];
    const warmUps = await warmUpsAt(context.store, found, systemClock);
    if (warmUps === null) return { json: addressView(found), text: lines.join("\n") };
    const schedule = found.warmUp?.schedule ?? DEFAULT_SCHEDULE;
    return {
      json: { ...addressView(found), schedule, receivers: warmUps.map(warmUpView) },
      text: [...lines, "", ...warmUpLines(schedule, warmUps)].join("\n"),
    };
  },
};

export const warmUpAddress: Implementation = {
  async run(context, { positionals: [typed = ""], options: { receiver, day, schedule, off } }) {
    if (receiver !== undefined && day === undefined)
      throw new UsageError("--receiver needs --day, its day of the schedule");
    if (off === true && (day ?? schedule) !== undefined)
      throw new UsageError("--off goes with neither --day nor --schedule");
    const given = { receiver: textOption(receiver), day: textOption(day), schedule: textOption(schedule) };
    const known = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    const address = settled(await setWarmUp(context.store, typed, { ...known, isOff: off === true }, systemClock));
    const text =
      address.warmUp === null
        ? `Mail leaves from ${address.ip} without limits of a day.`
        : `${address.ip} is being warmed up: addresses show ${address.ip} shows where it is at each receiver.`;
    const waiting = "Mail that waits already is sent now by queue retry --pending --reason warm_up.";
    return { json: addressView(await changed(context, address)), text: `${text} ${SOON} ${waiting}` };
  },
};

const pausing = (isPaused: boolean): Implementation => ({
  async run(context, { positionals: [typed = ""] }) {
    const address = settled(await pauseSendingAddress(context.store, typed, isPaused));
    const text = isPaused ? `Nothing more leaves from ${address.ip}.` : `Mail leaves from ${address.ip} again.`;
    return { json: addressView(await changed(context, address)), text: `${text} ${SOON}` };
  },
});

export const pauseAddress = pausing(true);
export const resumeAddress = pausing(false);

export const removeAddress: Implementation = {
  async run({ store }, { positionals: [typed = ""] }) {
    const { ip } = settled(await dropSendingAddress(store, typed));
    return { json: { address: ip, removed: true }, text: `${ip} is no longer a sending address. ${SOON}` };
  },
};

export const listPools: Implementation = {
  async run({ store }) {
    const all = await poolViews(store);
    const rows = all.map((pool) => [
      pool.name,
      pool.addresses.join(", "),
      pool.name === DEFAULT_POOL ? "all others" : pool.accounts.join(", "),
      pool.domains.join(", "),
      pool.tags.map(({ account, tag }) => `${tag} (${account})`).join(", "),
    ]);
    return { json: all, text: table(["POOL", "ADDRESSES", "ACCOUNTS", "DOMAINS", "TAGS"], rows, "No pool.") };
  },
};

export const createPool: Implementation = {
  async run({ store }, { positionals: [name = ""] }) {
    const pool = settled(await createSendingPool(store, name));
    return {
      json: poolView(pool, []),
      text: `Pool ${pool.name} has no address yet: addresses add IP --pool ${pool.name}.`,
    };
  },
};

export const removePool: Implementation = {
  async run({ store }, { positionals: [name = ""] }) {
    const removed = settled(await removeSendingPool(store, name));
    return {
      json: { name: removed, removed: true },
      text: `Pool ${removed} is removed: its mail is of the default pool. ${SOON}`,
    };
  },
};

export const assignPool: Implementation = {
  async run({ store, account }, { positionals: [name = ""], options }): Promise<CommandResult> {
    const [domain, tag] = [textOption(options.domain), textOption(options.tag)];
    if ([options.account, domain].filter((each) => each !== undefined).length !== 1 && tag === undefined)
      throw new UsageError("pools assign needs either --account, with or without --tag, or --domain");
    if (tag !== undefined && domain !== undefined) throw new UsageError("pools assign needs either --tag or --domain");
    const typed = domain === undefined ? { account: account.id, ...given("tag", tag) } : { domain };
    const assigned = settled(await assignSendingPool(store, name, typed));
    const tagged = tag === undefined ? "" : ` with the tag ${tag}`;
    const whose = assigned.domain ?? `account ${account.name}${tagged}`;
    return {
      json: {
        pool: name,
        ...(domain === undefined ? { account: account.name, ...given("tag", tag) } : { domain: assigned.domain }),
      },
      text: `${await assignedText(store, whose, name)} ${SOON}`,
    };
  },
};

async function assignedText(store: CommandContext["store"], whose: string, pool: string): Promise<string> {
  if (pool === DEFAULT_POOL) return `The assignment of mail of ${whose} is ended.`;
  const { addresses } = await readSendingPlan(store);
  return addresses.some((each) => each.pool === pool)
    ? `Mail of ${whose} leaves from the addresses of pool ${pool}.`
    : `Mail of ${whose} waits until pool ${pool} has an address: addresses add IP --pool ${pool}.`;
}
