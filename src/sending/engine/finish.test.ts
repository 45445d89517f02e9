import { describe, expect, it } from 'vitest';
import { failureText } from './finish.ts';

describe('what a job says of those who did not get its message', () => {
  it.each([
    [{ refused: 0, expired: 0, uncertain: 0, dead: 0 }, ''],
    [{ refused: 0, expired: 0, uncertain: 0, dead: 7 }, ''],
    [
      { refused: 2, expired: 0, uncertain: 1, dead: 0 },
      '2 refused (not for the mailbox: the sender, the content, a policy), ' +
        '1 uncertain (handed over, but the reply was lost)',
    ],
    [
      { refused: 0, expired: 3, uncertain: 0, dead: 4 },
      '3 expired (the relay kept deferring them until the time limit), besides 4 bounced, which is no error',
    ],
  ])('%j is “%s”', (failures, text) => {
    expect(failureText(failures)).toBe(text);
  });
});
