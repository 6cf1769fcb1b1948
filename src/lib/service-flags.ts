/** The options of Node that the service runs with, as `npm start`, the container and the systemd unit have them. The Dockerfile says why. */
export const SERVICE_FLAGS: readonly string[] = [
  "--no-memory-reducer",
  "--heap-growing-percent=200",
  "--v8-pool-size=1",
  "--max-semi-space-size=16",
  "--no-parallel-scavenge",
];
