/** For tests of deliveries without test messages. */
import type { TestSink } from "../../src/delivery/routing/test-sink.ts";

export const NO_TEST_SINK: Pick<TestSink, "route"> = {
  route: () => Promise.reject(new Error("there are no test messages here")),
};
