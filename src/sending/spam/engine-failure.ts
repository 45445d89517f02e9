/** Bytes that an engine's response may have: reports and lists of rules take a few thousand. */
export const maxResponseBytes = 256 * 1024;

/** Why an engine gave no score, in words that users may read. */
export class EngineFailure extends Error {}

export const tooLong = () => new EngineFailure(`its response is larger than ${maxResponseBytes} bytes`);
export const notUnderstood = () => new EngineFailure('its response is not understood');
