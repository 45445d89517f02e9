import { Button } from '@mantine/core';
import { type FormEvent, type ReactNode, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useFieldFault } from '../api/use-field-fault.ts';
import { useRefusal } from '../api/use-refusal.ts';
import { DraftNote } from './draft-note.tsx';
import { type FieldErrors, FieldErrorsContext } from './fields.tsx';
import type { FormDraft } from './use-form-draft.ts';
import './forms.css';

export interface SubmitFormProps {
  /**
   * Stores what was typed; the form is done after it. What it returns has to be corrected first: a text, or texts by
   * the property of their fields. An empty text leaves the form open, whose content says why.
   */
  readonly save: () => Promise<string | FieldErrors | undefined>;
  readonly saveLabel: string;
  /** Whether its button is the filled one of the screen. Default: true. */
  readonly isMain?: boolean;
  /** Closes the form. */
  readonly close: () => void;
  /** The words of a button that closes the form; none without them. */
  readonly cancelLabel?: string;
  /** What was typed, kept until the form is closed. */
  readonly draft?: FormDraft | undefined;
  /** The property that no two records may have alike: an error that says so is shown there. */
  readonly unique?: string | undefined;
  readonly children: ReactNode;
}

/** The field of a property: of `list[2].key` that of the list if the key has none. */
const fieldOf = (form: HTMLFormElement, property: string) =>
  [property, property.replace(/[.[].*$/, '')]
    .map((name) => form.querySelector<HTMLElement>(`[data-property="${CSS.escape(name)}"]`))
    .find((field) => field !== null);

/** A form. What the service refuses is said at the field that it names, otherwise below; nothing typed is lost. */
export function SubmitForm(props: SubmitFormProps) {
  const { save, saveLabel, isMain = true, close, cancelLabel, draft, unique, children } = props;
  const refusal = useRefusal();
  const faultOf = useFieldFault();
  const form = useRef<HTMLFormElement>(null);
  const [errors, setErrors] = useState<FieldErrors>({});
  const [error, setError] = useState('');
  const [isBusy, setBusy] = useState(false);
  /** Shows errors at their fields, and leads to the first. Returns false if the form has no field for it. */
  const showAtFields = (faults: FieldErrors): boolean => {
    const fields = Object.entries(faults).map(([property, text]) => ({
      field: form.current ? fieldOf(form.current, property) : undefined,
      text,
    }));
    const first = fields[0]?.field;
    if (!first) return false;
    flushSync(() =>
      setErrors(
        Object.fromEntries(
          fields.flatMap(({ field, text }) => (field ? [[field.dataset.property, text]] : [])),
        ),
      ),
    );
    // A closed part of the form would hide it.
    const part = first.closest('details');
    if (part) part.open = true;
    first.focus();
    return true;
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError('');
    setErrors({});
    try {
      const fault = await save();
      if (fault === undefined) {
        draft?.forget();
        close();
      } else if (typeof fault === 'string') setError(fault);
      else if (!showAtFields(fault)) setError(Object.values(fault).join(' '));
    } catch (failure) {
      const fault = faultOf(failure, unique);
      if (!fault || !showAtFields(fault)) setError(refusal(failure));
    } finally {
      setBusy(false);
    }
  };
  return (
    <form
      ref={form}
      className="form"
      onSubmit={(event) => void submit(event)}
      noValidate
      onChange={({ target }) => {
        const property = target instanceof HTMLElement ? target.dataset.property : undefined;
        if (property) setErrors(({ [property]: _, ...others }) => others);
      }}
    >
      {draft?.isRestored && <DraftNote discard={draft.discard} />}
      <FieldErrorsContext value={errors}>{children}</FieldErrorsContext>
      {error !== '' && (
        <p className="note red" role="alert">
          {error}
        </p>
      )}
      <div className="row">
        <Button type="submit" variant={isMain ? 'filled' : 'default'} loading={isBusy}>
          {saveLabel}
        </Button>
        {cancelLabel && <Button onClick={close}>{cancelLabel}</Button>}
      </div>
    </form>
  );
}
