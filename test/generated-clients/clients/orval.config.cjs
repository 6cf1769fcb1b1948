/** What orval generates: functions that call fetch, for the service at SERVICE_URL. */
module.exports = {
  postrider: {
    input: "./openapi.json",
    output: { target: "./generated/orval/client.ts", client: "fetch", baseUrl: process.env.SERVICE_URL },
  },
};
