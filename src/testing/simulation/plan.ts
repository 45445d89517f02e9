import { Random } from '../../demo/random.ts';

/** The mail program of a reader, by the user agent that it sends. */
export const agents = {
  computer:
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0 Safari/537.36',
  phone: 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148',
  pictureProxy: 'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)',
  privacyProxy: 'Mozilla/5.0',
  scanner: 'python-requests/2.32.3',
} as const;
export type Agent = keyof typeof agents;

/** The links of a message: two of its text, one of the advertisement, and two pages. */
export type LinkName = 'first' | 'second' | 'advertisement' | 'mirror' | 'unsubscription';

/** Something that a reader, or a program for them, does with a message. */
export type Act =
  | { readonly kind: 'open'; readonly by: Agent }
  | { readonly kind: 'click'; readonly link: LinkName; readonly by: Agent }
  /** A click of a friend, in the message that was forwarded to them. */
  | { readonly kind: 'friendClick'; readonly by: Agent }
  | { readonly kind: 'forward' }
  | { readonly kind: 'unsubscribe'; readonly how: 'oneClick' | 'page' };

/** Reports on a message, each with what its provider writes. */
export const reports = {
  hard: { status: '5.1.1', diagnostic: 'smtp; 550 5.1.1 User unknown' },
  soft: { status: '4.2.2', diagnostic: 'smtp; 452 4.2.2 Mailbox full' },
  dns: { status: '5.1.2', diagnostic: 'smtp; 550 5.1.2 Host not found' },
  spam: { status: '5.7.1', diagnostic: 'smtp; 550 5.7.1 Message rejected as spam' },
} as const;
export type Report = keyof typeof reports | 'autoReply' | 'complaint';

/** The relay's reply: accepted, no such mailbox (an immediate hard bounce), or permanently rejected. */
export type Answer = 'accepted' | 'noMailbox' | 'refused';

/** The fate of one message. */
export interface Story {
  readonly answer: Answer;
  readonly acts: readonly Act[];
  readonly report: Report | undefined;
}

/** A subscriber and the fate of the messages of each campaign. */
export interface Reader {
  readonly email: string;
  /** Index into the domains; the last one belongs to no provider. */
  readonly domain: number;
  /** The segment of the first campaign that they are in: 1 or 2. */
  readonly group: 1 | 2;
  readonly first: Story;
  /** The fate in the second campaign; undefined for subscribers who do not get it. */
  readonly second: Story | undefined;
}

const nothing: Story = { answer: 'accepted', acts: [], report: undefined };
const open = (by: Agent): Act => ({ kind: 'open', by });
const click = (link: LinkName, by: Agent): Act => ({ kind: 'click', link, by });
const read = (...acts: readonly Act[]): Story => ({ ...nothing, acts });
const reported = (report: Report, ...acts: readonly Act[]): Story => ({ ...nothing, acts, report });

/**
 * Possible fates of a message, each with its share in ten thousand. No reader follows three links within seconds or has
 * a scanner too: whether such readers count as a burst would depend on the speed of the machine.
 */
const stories: readonly (readonly [share: number, story: (draw: Random) => Story])[] = [
  [1_200, () => read(open('computer'))],
  [700, () => read(open('phone'))],
  [300, () => read(open('pictureProxy'))],
  [300, () => read(open('privacyProxy'))],
  [100, () => read(open('scanner'))],
  [150, () => read(open('computer'), open('computer'), open('phone'))],
  [60, () => read(open('privacyProxy'), open('phone'))],
  [200, () => read(open('computer'), click('first', 'computer'))],
  [120, () => read(open('phone'), click('second', 'phone'), click('second', 'phone'))],
  [80, () => read(open('computer'), click('first', 'phone'), click('advertisement', 'phone'))],
  [60, () => read(click('advertisement', 'computer'))],
  [40, () => read(click('first', 'phone'), open('computer'))],
  [40, () => read(click('first', 'scanner'))],
  [50, () => read(open('computer'), click('mirror', 'computer'))],
  [20, () => read(open('phone'), click('mirror', 'phone'), click('first', 'phone'))],
  [30, () => read(open('computer'), click('unsubscription', 'computer'))],
  [30, () => read(open('phone'), click('unsubscription', 'phone'), { kind: 'unsubscribe', how: 'page' })],
  [40, () => read(open('computer'), { kind: 'unsubscribe', how: 'oneClick' })],
  [30, (draw) => read(open('computer'), { kind: 'forward' }, ...friendClicks(draw))],
  [80, () => reported('hard')],
  [60, () => reported('soft')],
  [30, () => reported('dns')],
  [30, () => reported('spam')],
  [70, () => reported('autoReply', open('computer'))],
  [7, () => reported('complaint', open('computer'))],
];

function friendClicks(draw: Random): Act[] {
  return Array.from({ length: draw.below(3) }, () => ({ kind: 'friendClick', by: 'phone' }));
}

/** Shares in ten thousand of the relay's refusals; the rest is taken. */
const answers = { noMailbox: 60, refused: 40 };
/** One of so many gets the second campaign as well. */
const secondOneIn = 10;

function drawStory(draw: Random): Story {
  let at = draw.below(10_000);
  for (const [share, story] of stories) {
    if (at < share) return story(draw);
    at -= share;
  }
  return nothing;
}

function drawFirst(draw: Random): Story {
  const at = draw.below(10_000);
  if (at < answers.noMailbox) return { ...nothing, answer: 'noMailbox' };
  if (at < answers.noMailbox + answers.refused) return { ...nothing, answer: 'refused' };
  return drawStory(draw);
}

/** The readers and their stories: the same for the same size. */
export function planReaders(size: number, domains: readonly string[]): Reader[] {
  const draw = new Random(20261123);
  return Array.from({ length: size }, (_, number) => {
    const domain = draw.below(domains.length);
    const first = drawFirst(draw);
    const isSecond = first.answer === 'accepted' && draw.below(secondOneIn) === 0;
    return {
      email: `reader${number}@${domains[domain]}`,
      domain,
      group: draw.below(2) === 0 ? 1 : 2,
      first,
      second: isSecond ? drawStory(draw) : undefined,
    };
  });
}
