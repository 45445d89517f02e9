/** The overview, and the first steps on an empty site. */
export const overview = {
  title: 'Overview',
  welcome: (site: string) => `Welcome to ${site}`,
  steps: (count: number) =>
    count === 0
      ? 'All steps are done.'
      : `${count} ${count === 1 ? 'step' : 'steps'} until you read your first message.`,
  firstSteps: 'First steps',
  hideSteps: 'Hide these steps',
  sender: {
    title: 'Name the sender',
    text: 'A sender, an address for replies, and a footer with an unsubscribe link. The values are suggestions.',
    done: (from: string) => `Messages come from ${from}.`,
    name: 'Sender',
    address: 'Address',
    replies: 'Replies go to',
    keep: 'Keep it',
    configuration: 'Newsletter',
    footer: 'You get this message because you subscribed.',
    unsubscribe: 'Unsubscribe',
  },
  people: {
    title: 'Add people',
    text: 'Type a few addresses, one on each line. Your own is enough to try it.',
    done: (people: string) => `${people} can be written to.`,
    addresses: 'Addresses',
    add: 'Add people',
    origin: 'Console',
    target: 'All subscribed people',
    added: (people: string) => `${people} added.`,
    none: 'Type at least one address.',
    imports: 'Other ways to import',
  },
  write: {
    title: 'Write a message',
    text: 'Start from a plain one and make it yours.',
    button: 'Write',
    done: (name: string) => `“${name}” is a draft.`,
    open: 'Open',
  },
  send: {
    title: 'Send it and read it',
    text: 'Messages stay in the built-in mailbox until you configure a relay.',
    button: 'Open',
  },
  real: {
    title: 'Before real mail leaves',
    relay: 'A relay',
    noRelay: 'None yet: messages stay in the built-in mailbox',
    relays: (count: number) => `${count} configured`,
    domain: 'SPF, DKIM and DMARC',
    domainText: 'Publish them for the domain of the sender',
    address: 'Public address',
  },
  keys: ['shows all keys', 'goes anywhere'],
};
