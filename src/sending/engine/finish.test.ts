import { describe, expect, it } from 'vitest';
import { failureText } from './finish.ts';

describe('what a job says of those who did not get its message', () => {
  it.each([
    [{ refused: 0, expired: 0, uncertain: 0 }, ''],
    [{ refused: 2, expired: 0, uncertain: 1 }, '2 refused, 1 uncertain'],
    [{ refused: 0, expired: 3, uncertain: 0 }, '3 expired'],
  ])('%j is «%s»', (failures, text) => {
    expect(failureText(failures)).toBe(text);
  });
});
