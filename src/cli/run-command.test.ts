import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../testing/app.ts';
import { commandOn } from '../testing/child-process.ts';
import { readCommand } from './command-line.ts';
import { runOn } from './run-command.ts';
import { inputOf } from './stdin.ts';

let t: TestApp;
beforeAll(async () => {
  t = await testApp();
});
afterAll(() => t.close());

/** Runs a command, and returns its stdout and stderr. */
async function facteur(words: readonly string[], input: string | Buffer = ''): Promise<[string[], string[]]> {
  const [printed, noted]: [string[], string[]] = [[], []];
  const stdin = inputOf(Readable.from([Buffer.from(input)]));
  const ends = {
    print: (line: string) => printed.push(line),
    note: (line: string) => noted.push(line),
    stdin,
  };
  await runOn(t.app, readCommand(words), ends);
  return [printed, noted];
}

const user = (name: string, email: string, ...more: string[]) => [
  'user',
  'create',
  '--name',
  name,
  '--email',
  email,
  ...more,
];
const token = (...words: string[]) => ['token', 'create', '--user', 'eve@example.com', ...words];

describe('sites, users and tokens on the command line', () => {
  beforeAll(async () => {
    await facteur(user('Eve', 'eve@example.com'));
    const [made] = await facteur(user('Gone', 'gone@example.com'));
    const { id } = JSON.parse(made[0]!) as { id: number };
    await t.call('PUT', `/admin/v1/users/${id}`, { body: { isDisabled: true } });
  });

  it('make what the operations make', async () => {
    expect((await facteur(['site', 'create', 'shop']))[0]).toEqual([
      expect.stringContaining('"name":"shop"'),
    ]);
    const [made] = await facteur(user('Zoë', 'zoe@example.com', '--password-stdin'), 'twelve signs\r\nmore');
    expect(JSON.parse(made[0]!)).toMatchObject({ name: 'Zoë', hasPassword: true });
    const [[text, ...rest], noted] = await facteur(
      token('--role', 'editor', '--site', 'demo', '--site', 'demo', '--expires', '2027-01-31T12:00:00+01:00'),
    );
    expect([text, rest]).toEqual([expect.stringMatching(/^fct_[\w-]{43}$/), []]);
    const id = /^Token (\d+);/.exec(noted[0]!)![1]!;
    const listed = (await facteur(['token', 'list']))[0].map((line) => JSON.parse(line));
    expect(listed.find((one) => one.id === Number(id))).toMatchObject({
      role: 'editor',
      sites: ['demo'],
      expirationDate: '2027-01-31T11:00:00.000Z',
      revocationDate: null,
    });
    const [revoked] = await facteur(['token', 'revoke', id]);
    expect(JSON.parse(revoked[0]!)).toMatchObject({ id: Number(id), revocationDate: expect.any(String) });
  });

  const long = 'x'.repeat(256);
  const refusals: [string[], string, (string | Buffer)?][] = [
    [['site', 'create', 'Shop!'], 'name: must be 2 to 31 of a-z, 0-9 and -, with no - in front'],
    [['site', 'create', 'demo'], "A site named 'demo' already exists"],
    [user(long, 'a@b.example'), 'name: must have at most 255 characters'],
    [
      user('a\nb', 'a@b.example'),
      'name: holds characters that are not allowed (control characters or line ends)',
    ],
    [user('A', 'Ada <a@b.example>'), 'email: must be an email address, without a name or brackets'],
    [user('A', 'a@b.example\r\nBcc: c@d.example'), 'email: holds characters that are not allowed'],
    [user('A', `a@${'b'.repeat(260)}`), 'email: must have at most 254 characters'],
    [user('A', 'EVE@example.com'), 'A user with this email already exists'],
    [user('A', 'a@b.example', '--password-stdin'), 'password: must have at least 12 characters', 'short'],
    [user('A', 'a@b.example', '--password-stdin'), 'password: must have at least 12 characters', ''],
    [user('A', 'a@b.example', '--password-stdin'), 'password: must have at most 200 characters', long],
    [user('A', 'a@b.example', '--password-stdin'), 'The first line of stdin is too long', 'x'.repeat(70_000)],
    [
      user('A', 'a@b.example', '--password-stdin'),
      'The first line of stdin is not written in UTF-8',
      Buffer.from('pass\xe9word of twelve', 'latin1'),
    ],
    [
      ['token', 'create', '--user', 'no@b.example', '--role', 'reader', '--all-sites'],
      '--user: User not found',
    ],
    [
      ['token', 'create', '--user', 'gone@example.com', '--role', 'reader', '--all-sites'],
      'idUser: the user is disabled; enable them first',
    ],
    [token('--role', 'owner', '--all-sites'), 'role: must be one of reader, editor, sender, admin'],
    [token('--role', 'reader', '--site', 'nowhere'), 'sites: Site not found'],
    [
      token('--role', 'reader', '--site', 'demo', '--site', ''),
      'sites[1]: must be 2 to 31 of a-z, 0-9 and -, with no - in front',
    ],
    [token('--role', 'reader', '--all-sites', '--label', long), 'label: must have at most 255 characters'],
    [
      token('--role', 'reader', '--all-sites', '--label', '\x1b[2J'),
      'label: holds characters that are not allowed (control characters or line ends)',
    ],
    [token('--role', 'reader', '--all-sites', '--expires', 'soon'), 'expirationDate: must be'],
    // A date alone is a moment in no time zone that anybody named.
    [token('--role', 'reader', '--all-sites', '--expires', '2027-01-31'), 'expirationDate: must be'],
    [token('--role', 'reader', '--all-sites', '--expires', ''), 'expirationDate: must be'],
    // The clock of these tests is in 2026.
    [
      token('--role', 'reader', '--all-sites', '--expires', '2026-11-19T00:00:00Z'),
      'expirationDate: must be in the future',
    ],
    [['token', 'revoke', '999999999'], 'Token not found'],
  ];
  it.each(refusals)('%j is refused as over HTTP: %s', async (words, message, input) => {
    const state = async () => [
      (await facteur(['token', 'list']))[0],
      (await facteur(['site', 'list']))[0],
      (await facteur(['admin', 'listUsers']))[0],
    ];
    const before = await state();
    await expect(facteur(words, input)).rejects.toThrow(message);
    expect(await state()).toEqual(before);
  });
});

/** A start takes about 3 s alone, and the machine of the tests may be busy. */
describe('the process of a command', () => {
  it('ends with 1 and one line when it is refused, and what was typed cannot steer a terminal', async () => {
    const refused = await commandOn(t, user('A', 'EVE@example.com')).ended;
    expect(refused).toEqual({
      code: 1,
      stdout: '',
      stderr: 'facteur: A user with this email already exists\n',
    });
    const [bell, endless] = await Promise.all([
      commandOn(t, ['\x1b]0;title\x07']).ended,
      commandOn(t, ['x'.repeat(100_000)]).ended,
    ]);
    expect(bell.stderr).toBe("facteur: Unknown command '\\u{1b}]0;title\\u{7}'\nSee npx facteur help\n");
    expect([endless.code, endless.stderr.length < 2100]).toEqual([1, true]);
  });

  it('ends with 1 when nobody takes its result', async () => {
    const lister = commandOn(t, ['site', 'list']);
    lister.child.stdout!.destroy();
    expect(await lister.ended).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^facteur: The result could not be written to stdout: .*EPIPE/),
    });
  });

  it('makes nothing under another secret than that of the database', async () => {
    expect(await commandOn(t, ['site', 'list']).ended).toMatchObject({ code: 0, stderr: '' });
    const secret = { FACTEUR_SECRET: 'another secret, which nobody has used before' };
    const refused = await commandOn(t, ['site', 'create', 'late'], secret).ended;
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(/^facteur: The database was made with another secret; [^\n]*\n$/);
    expect((await facteur(['site', 'list']))[0].join()).not.toContain('late');
  });
});
