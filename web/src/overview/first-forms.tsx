import { useQueryClient } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import { useRefusal } from '../api/use-refusal.ts';
import { LongTextField, TextField } from '../parts/fields.tsx';
import { SubmitForm } from '../parts/submit-form.tsx';
import { useFormDraft } from '../parts/use-form-draft.ts';
import { useMe, useSite } from '../session/session.tsx';
import { toast } from '../shell/toasts.tsx';
import { useWords } from '../words/words.tsx';
import { addressesIn, addUnknown } from './add-people.ts';
import { ensureEveryone } from './everyone.ts';

interface FormProps {
  readonly isNext: boolean;
  /** Called once the step is done, before its form is removed. */
  readonly act: () => void;
}

/** Looks of the footer: as wide as the plain message, and small. */
const footerStyle =
  'max-width:600px;margin:0 auto;padding:0 24px 24px;font:12px/18px sans-serif;color:#57534c';

/** Name and addresses of the sender, filled in with suggestions. */
export function SenderForm({ isNext, act }: FormProps) {
  const { words, language } = useWords();
  const { sender } = words.overview;
  const site = useSite();
  const { user } = useMe();
  const queries = useQueryClient();
  const domain = user.email.includes('.') ? user.email.split('@')[1] : `${site.name}.example`;
  const draft = useFormDraft('first-sender');
  const [name, setName] = draft.field('name', site.name.charAt(0).toUpperCase() + site.name.slice(1));
  const [address, setAddress] = draft.field('address', `news@${domain}`);
  const [replies, setReplies] = draft.field('replies', `hello@${domain}`);
  const save = async () => {
    await dataOf(
      api.POST('/v1/{idsite}/sending-configurations', {
        params: { path: { idsite: site.name } },
        body: {
          name: sender.configuration,
          senderEMail: address,
          senderAlias: name,
          responseEMail: replies,
          responseAlias: name,
          footerHtml: `<p style="${footerStyle}">${sender.footer} <a href="[[LINK.UNSUB]]">${sender.unsubscribe}</a></p>`,
          footerTxt: `\n\n${sender.footer}\n${sender.unsubscribe}: [[LINK.UNSUB]]`,
          pageLanguage: language,
        },
      }),
    );
    return undefined;
  };
  const close = () => {
    draft.forget();
    act();
    void queries.invalidateQueries({ queryKey: ['sending-configurations', site.name] });
  };
  return (
    <div className="step-form">
      <SubmitForm save={save} saveLabel={sender.keep} isMain={isNext} close={close} draft={draft}>
        <div className="thirds">
          <TextField
            property="senderAlias"
            label={sender.name}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <TextField
            property="senderEMail"
            type="email"
            label={sender.address}
            value={address}
            onChange={(event) => setAddress(event.currentTarget.value)}
          />
          <TextField
            property="responseEMail"
            type="email"
            label={sender.replies}
            value={replies}
            onChange={(event) => setReplies(event.currentTarget.value)}
          />
        </div>
      </SubmitForm>
    </div>
  );
}

/** A field for addresses; adding them also makes the target of all subscribed people. */
export function PeopleForm({ isNext, act }: FormProps) {
  const { words, format } = useWords();
  const { people } = words.overview;
  const site = useSite();
  const refusal = useRefusal();
  const queries = useQueryClient();
  const draft = useFormDraft('first-people');
  const [text, setText] = draft.field('text', '');
  const save = async () => {
    const addresses = addressesIn(text);
    if (addresses.length === 0) return { addresses: people.none };
    const { count, left, refusal: refused } = await addUnknown(site.name, addresses, people.origin);
    if (count > 0)
      toast({ text: people.added(words.campaigns.people(format.count(count), format.isOne(count))) });
    // The target also of those who were added before a wrong address: the next step needs it.
    if (left.length < addresses.length) await ensureEveryone(site.name, people.target);
    if (refused) {
      // The step stays open with what is left, the refused address first.
      setText(left.join('\n'));
      const rule = refused.status === 400 ? words.errors.rules.email('') : refusal(refused);
      return { addresses: words.shell.labelled(left[0]!, rule) };
    }
    return undefined;
  };
  const close = () => {
    draft.forget();
    act();
    void queries.invalidateQueries({ queryKey: ['everyone', site.name] });
  };
  return (
    <div className="step-form">
      <SubmitForm save={save} saveLabel={people.add} isMain={isNext} close={close} draft={draft}>
        <LongTextField
          property="addresses"
          label={people.addresses}
          rows={3}
          spellCheck={false}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      </SubmitForm>
    </div>
  );
}
