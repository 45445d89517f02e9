import { normaliseEmail } from '../platform/email-address.ts';
import { invalid } from '../platform/http/refusal.ts';
import {
  Bool,
  Closed,
  Id,
  Instant,
  Int32,
  Line,
  Maybe,
  Nullable,
  OneOf,
  ReadOnly,
  type Static,
  Text,
  Type,
} from '../platform/http/schema.ts';
import { visibleName } from '../platform/http/visible-name.ts';
import { type PageLooks, pageLanguages, plainLooks } from './page-language.ts';

const maxPart = 500_000;
/** Minimum number of days, so that a message's web version does not expire while its readers still open it. */
const minDays = 15;

const name = Type.String({ ...Line(255), minLength: 1 });
const email = (description: string) => Type.String({ ...Line(254, description), minLength: 1 });
const SenderEMail = () => email('The address in From; its domain should have SPF and DKIM records');
const ResponseEMail = () => email('The reply address');
const days = Type.Integer({
  minimum: minDays,
  maximum: 36_500,
  description:
    'Days after which messages expire; null means never. Messages have the date in the header Expires, by ' +
    'which mail programs tidy up, and their web version is no longer shown. Statistics and sendings stay',
});

const members = {
  senderAlias: Maybe(Line(255, "The name beside the sender's address; may contain tags")),
  recipientAlias: Maybe(
    Line(255, "The name beside the reader's address; may contain tags, for example [[FLD.101]]"),
  ),
  responseAlias: Maybe(Line(255, 'The name beside the reply address; may contain tags')),
  objectPrefixBAT: Maybe(Line(50, 'Comes before the subject of test mailings')),
  senderAliasPrefixBAT: Maybe(Line(50, "Comes before the sender's name in test mailings")),
  headerHtml: Maybe(Text(maxPart, 'Comes before the HTML of a campaign; may contain tags')),
  headerTxt: Maybe(Text(maxPart, 'Comes before the text')),
  footerHtml: Maybe(Text(maxPart, 'Comes after the HTML; [[LINK.UNSUB]] belongs here')),
  footerTxt: Maybe(Text(maxPart, 'Comes after the text; [[LINK.UNSUB]] belongs here')),
  unsubHtml: Maybe(Text(maxPart, 'Comes after the footer of the HTML')),
  unsubTxt: Maybe(Text(maxPart, 'Comes after the footer of the text')),
  pageLanguage: Maybe(
    OneOf(['', ...pageLanguages], "The language of the pages that readers see; empty means the reader's own"),
  ),
  pageColor: Maybe(
    Type.String({
      title: 'String',
      pattern: '^(#[0-9a-fA-F]{6})?$',
      examples: ['#0b57d0'],
      description: 'The colour of these pages as #rrggbb; empty means the default',
    }),
  ),
  pageLogo: Maybe(
    Type.String({
      title: 'String',
      maxLength: 500,
      pattern: '^(https?://[\\x21\\x23-\\x3a\\x3d\\x3f-\\x5b\\x5d-\\x7e]+)?$',
      examples: ['https://shop.example/logo.png'],
      description:
        'The address of the picture at the top of these pages, best from uploadPicture; empty means none',
    }),
  ),
  deleteEmailsAfter: Maybe(days),
  isArchive: Maybe(
    Bool('Whether lists omit it, except in the location Archives; everything else still works'),
  ),
};

const ignored = { idUser: ReadOnly(), creationDate: ReadOnly(), lastModifiedDate: ReadOnly() };

/** The properties of a new configuration. Read-only properties are accepted and ignored, so that a copy can be sent. */
export const NewSendingConfiguration = Closed('NewSendingConfiguration', {
  id: ReadOnly(),
  ...ignored,
  name,
  senderEMail: SenderEMail(),
  responseEMail: ResponseEMail(),
  ...members,
});
export type NewSendingConfiguration = Static<typeof NewSendingConfiguration>;

/** A change: omitted and null properties keep their values, except that a null `deleteEmailsAfter` means never. */
export const SendingConfigurationChange = Closed('SendingConfigurationChange', {
  id: Id('configuration'),
  ...ignored,
  name: Maybe(name),
  senderEMail: Maybe(SenderEMail()),
  responseEMail: Maybe(ResponseEMail()),
  ...members,
});
export type SendingConfigurationChange = Static<typeof SendingConfigurationChange>;

export interface SendingConfiguration extends SendingConfigurationValues {
  readonly id: number;
  readonly idUser: number;
  readonly author: string;
  readonly creationDate: Date;
  readonly lastModifiedDate: Date;
}

export const SendingConfigurationReply = Closed('SendingConfiguration', {
  id: Int32(),
  idUser: Int32(),
  name: Type.String(),
  creationDate: Instant(),
  lastModifiedDate: Instant(),
  senderEMail: Type.String(),
  senderAlias: Type.String(),
  recipientAlias: Type.String(),
  responseEMail: Type.String(),
  responseAlias: Type.String(),
  headerHtml: Type.String(),
  headerTxt: Type.String(),
  footerHtml: Type.String(),
  footerTxt: Type.String(),
  unsubHtml: Type.String(),
  unsubTxt: Type.String(),
  objectPrefixBAT: Type.String(),
  senderAliasPrefixBAT: Type.String(),
  pageLanguage: Type.String(),
  pageColor: Type.String(),
  pageLogo: Type.String(),
  deleteEmailsAfter: Nullable(Int32()),
  isArchive: Bool(),
});
export type SendingConfigurationReply = Static<typeof SendingConfigurationReply>;

type SetByService = 'id' | 'idUser' | 'creationDate' | 'lastModifiedDate';

/** The values of a configuration that callers decide, complete. */
export type SendingConfigurationValues = Readonly<
  Omit<SendingConfigurationReply, SetByService | keyof PageLooks> & PageLooks
>;

const nothingSaid: SendingConfigurationValues = {
  name: '',
  senderEMail: '',
  senderAlias: '',
  recipientAlias: '',
  responseEMail: '',
  responseAlias: '',
  headerHtml: '',
  headerTxt: '',
  footerHtml: '',
  footerTxt: '',
  unsubHtml: '',
  unsubTxt: '',
  objectPrefixBAT: '',
  senderAliasPrefixBAT: '',
  ...plainLooks,
  deleteEmailsAfter: null,
  isArchive: false,
};

/** @throws 400 for an invalid email address. */
export function makeConfiguration(input: NewSendingConfiguration): SendingConfigurationValues {
  return changeConfiguration(nothingSaid, input);
}

/** The values after a change. @throws 400 for an invalid email address. */
export function changeConfiguration(
  before: SendingConfigurationValues,
  change: NewSendingConfiguration | SendingConfigurationChange,
): SendingConfigurationValues {
  const { deleteEmailsAfter } = change;
  const members = Object.keys(nothingSaid) as (keyof SendingConfigurationValues)[];
  const values = Object.fromEntries(members.map((member) => [member, change[member] ?? before[member]]));
  return {
    // Object.fromEntries loses the names; they are those of `nothingSaid`.
    ...(values as unknown as SendingConfigurationValues),
    name: visibleName(change.name ?? before.name),
    senderEMail: emailOf('senderEMail', change.senderEMail) ?? before.senderEMail,
    responseEMail: emailOf('responseEMail', change.responseEMail) ?? before.responseEMail,
    deleteEmailsAfter: deleteEmailsAfter === undefined ? before.deleteEmailsAfter : deleteEmailsAfter,
  };
}

function emailOf(member: string, given: string | null | undefined): string | undefined {
  if (given === null || given === undefined) return undefined;
  const normal = normaliseEmail(given);
  if (!normal) throw invalid(`${member}: is not an email address`);
  return normal;
}

export const showConfiguration = ({ author: _, ...shown }: SendingConfiguration): SendingConfigurationReply =>
  shown;
