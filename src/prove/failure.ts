/** There is no verdict: the run was stopped, or could not go on. The message is one line that names the reason. */
export class ProveFailure extends Error {}
