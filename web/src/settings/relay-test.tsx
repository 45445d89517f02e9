import { useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import type { components } from '../api/schema.d.ts';
import { TextField } from '../parts/fields.tsx';
import { FormDrawer } from '../parts/form-drawer.tsx';
import { useSite } from '../session/session.tsx';
import { useServiceText } from '../words/service-text.ts';
import type { Relay } from './relays-screen.tsx';
import { Verdict } from './verdict.tsx';
import { useSettingsWords } from './words.ts';

type Trial = components['schemas']['RouteTrial'];

/** Sends a test message through a relay, and shows what it replied. The form stays open for another one. */
export function RelayTest({ relay, close }: { readonly relay: Relay; readonly close: () => void }) {
  const texts = useSettingsWords().relays;
  const site = useSite();
  const [email, setEmail] = useState('');
  const [sender, setSender] = useState('');
  const [trial, setTrial] = useState<Trial>();
  const save = async () => {
    setTrial(undefined);
    if (email.trim() === '') return { email: texts.noAddress };
    const params = { path: { idsite: site.name, idRoute: relay.id } };
    const body = { email: email.trim(), ...(sender.trim() !== '' && { senderEMail: sender.trim() }) };
    setTrial(await dataOf(api.POST('/admin/v1/sites/{idsite}/routes/{idRoute}/test', { params, body })));
    return '';
  };
  return (
    <FormDrawer
      title={texts.testTitle(`${relay.host}:${relay.port}`)}
      close={close}
      save={save}
      saveLabel={texts.send}
    >
      <p className="text-2">{texts.testText}</p>
      <TextField
        property="email"
        data-autofocus
        type="email"
        label={texts.testTo}
        maxLength={254}
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      <TextField
        property="senderEMail"
        type="email"
        label={texts.testFrom}
        description={texts.testFromText}
        maxLength={254}
        value={sender}
        onChange={(event) => setSender(event.currentTarget.value)}
      />
      <div aria-live="polite">{trial && <TrialResult trial={trial} />}</div>
    </FormDrawer>
  );
}

function TrialResult({ trial }: { readonly trial: Trial }) {
  const texts = useSettingsWords().relays;
  const { failedStep, isEncrypted, isSignedIn, code, text } = trial;
  const own = useServiceText()(text);
  return (
    <>
      <Verdict
        colour={failedStep === null ? 'green' : 'red'}
        text={failedStep === null ? texts.accepted : texts.failed[failedStep]}
      />
      {/* Without a reply of the relay, the service says what went wrong. */}
      {code === null ? (
        <p className="small text-2 anywhere" lang={own.lang}>
          {own.text}
        </p>
      ) : (
        <p className="small text-2 anywhere">
          {texts.itsWords} <bdi>{text}</bdi>
        </p>
      )}
      <p className="small text-3">
        {isEncrypted ? texts.encrypted : texts.notEncrypted} {isSignedIn && texts.signedIn}
      </p>
    </>
  );
}
