import { Button, Textarea } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useRefusal } from '../api/use-refusal.ts';
import { addressesIn, wrongAddress } from '../overview/add-people.ts';
import { DraftNote } from '../parts/draft-note.tsx';
import { useFormDraft } from '../parts/use-form-draft.ts';
import { useSite } from '../session/session.tsx';
import { useWords } from '../words/words.tsx';
import { createTestTarget, findTesters, type TypedTesters } from './test-people.ts';

/** They are looked up with one request, whose address is limited. */
const mostAddresses = 50;

interface NewTestTargetFormProps {
  readonly onCreated: (idTarget: number) => void;
  readonly close: () => void;
}

/** Creates a test target from typed addresses. Unknown ones are added as subscribers, after a second confirmation. */
export function NewTestTargetForm({ onCreated, close }: NewTestTargetFormProps) {
  const { words, format } = useWords();
  const { test, confirm } = words.composer;
  // The addresses are kept until the target is created or the user goes back.
  const draft = useFormDraft('test-addresses');
  const [text, setText] = draft.field('text', '');
  const [found, setFound] = useState<TypedTesters>();
  const [failure, setFailure] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const create = useCreate(found);
  const unknown = found?.unknown ?? [];
  const people = words.campaigns.people(format.count(unknown.length), format.isOne(unknown.length));
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setFailure(undefined);
    const outcome = await create(text);
    setBusy(false);
    if (typeof outcome === 'number') {
      draft.forget();
      onCreated(outcome);
    } else if (typeof outcome === 'string') setFailure(outcome);
    else setFound(outcome);
  };
  const back = () => {
    draft.forget();
    close();
  };
  return (
    <form className="stack tight" onSubmit={(event) => void submit(event)}>
      {draft.isRestored && <DraftNote discard={draft.discard} />}
      <Textarea
        data-autofocus
        label={test.addresses}
        description={test.addressesHint}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        rows={3}
        spellCheck={false}
        value={text}
        error={failure}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setFound(undefined);
        }}
      />
      {found && found.unreachable.length > 0 && (
        <p className="note amber">{test.unreachable(found.unreachable.join(', '))}</p>
      )}
      {unknown.length > 0 && (
        <p className="note ink" role="status">
          {test.unknown(unknown.join(', '))}
        </p>
      )}
      <div className="row dialog-acts">
        <Button onClick={back}>{confirm.back}</Button>
        <Button type="submit" variant="filled" loading={isBusy}>
          {unknown.length > 0 ? test.addAndCreate(people) : test.create}
        </Button>
      </div>
    </form>
  );
}

/**
 * Creates the target of typed addresses. Returns its id, why it failed, or what the user has to confirm first.
 * @param confirmed what the user has seen of these addresses, if anything
 */
function useCreate(confirmed: TypedTesters | undefined) {
  const { words } = useWords();
  const { test } = words.composer;
  const site = useSite();
  const queries = useQueryClient();
  const refusal = useRefusal();
  return async (text: string): Promise<number | string | TypedTesters> => {
    const addresses = addressesIn(text);
    if (addresses.length === 0) return words.overview.people.none;
    if (addresses.length > mostAddresses) return test.tooMany(mostAddresses);
    const wrong = wrongAddress(addresses);
    if (wrong !== undefined) return words.shell.labelled(wrong, words.errors.rules.email(''));
    try {
      const found = confirmed ?? (await findTesters(site.name, addresses));
      const needsConsent = found.unknown.length > 0 || found.unreachable.length > 0;
      if (!confirmed && needsConsent) return found;
      const wanted = { name: test.targetName, addresses, unknown: found.unknown, origin: test.origin };
      const idTarget = await createTestTarget(site.name, wanted);
      await queries.invalidateQueries({ queryKey: ['targets', site.name] });
      // Those who were added count in the audience as well.
      if (found.unknown.length > 0)
        for (const key of ['campaign', 'subscribers'])
          void queries.invalidateQueries({ queryKey: [key, site.name] });
      return idTarget;
    } catch (error) {
      return refusal(error);
    }
  };
}
