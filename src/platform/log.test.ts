import { describe, expect, it } from 'vitest';
import { openLog } from './log.ts';

describe('the log', () => {
  it('logs an error of the database without the values of rows', () => {
    const lines: string[] = [];
    const log = openLog('info', { write: (line: string) => void lines.push(line) });
    const error = Object.assign(
      new Error('duplicate key value violates unique constraint "subscriber_email"'),
      {
        code: '23505',
        detail: 'Key (lower(fld1))=(ada@example.com) already exists.',
        where: 'COPY stage, line 3: "ada@example.com"',
      },
    );
    log.error({ err: error }, 'not kept');
    expect(JSON.parse(lines[0]!)).toMatchObject({
      msg: 'not kept',
      err: { code: '23505', message: error.message },
    });
    expect(lines[0]).not.toContain('ada@example.com');
  });
});
