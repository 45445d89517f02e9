import { ActionIcon, NativeSelect, TextInput } from '@mantine/core';
import { IconCheck, IconPencil, IconX } from '@tabler/icons-react';
import { type FormEvent, type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { useRefusal } from '../api/use-refusal.ts';
import { DraftNote } from '../parts/draft-note.tsx';
import { useFormDraft } from '../parts/use-form-draft.ts';
import { useWords } from '../words/words.tsx';
import { choicesOf, type Field, fieldName, useFieldText } from './fields.ts';
import { fieldValue, isCorrectable, type Subscriber, typedFrom, valueFrom } from './subscriber.ts';

interface FieldListProps {
  readonly subscriber: Subscriber;
  readonly fields: readonly Field[];
  readonly mayEdit: boolean;
  readonly save: (field: Field, value: unknown) => Promise<void>;
}

/** What was typed into the editor of a field, and the value that it began with. */
interface Kept {
  readonly id: number;
  readonly text: string;
  readonly from: string;
}

/**
 * The fields of a person; those that may be corrected are edited in place, one at a time. What was typed before a reload
 * is shown again, unless the value is another one by now.
 */
export function FieldList({ subscriber, fields, mayEdit, save }: FieldListProps) {
  const { words } = useWords();
  const texts = words.subscribers;
  const say = useFieldText();
  const draft = useFormDraft('subscriber', subscriber.id);
  const [kept, setKept] = draft.field<Kept | null>('typed', null);
  const storedIn = (field: Field) => typedFrom(field, fieldValue(subscriber, field.id));
  const [edited, setEdited] = useState(() => {
    const field = fields.find(({ id }) => id === kept?.id);
    return field && storedIn(field) === kept?.from ? field.id : 0;
  });
  // What was typed over another value stays away, also if that value returns.
  useEffect(() => {
    if (kept && edited === 0) draft.discard();
  }, [kept, edited, draft.discard]);
  const edit = (id: number) => {
    draft.discard();
    setEdited(id);
  };
  const store = useRef<() => Promise<boolean>>(undefined);
  // What is typed into one field is saved before another one is edited.
  const editNext = async (id: number) => {
    if (edited === 0 || (await store.current?.())) edit(id);
  };
  const isRestored = draft.isRestored && edited !== 0;
  const list = (
    <ul className="field-list">
      {fields.map((field) => {
        const value = fieldValue(subscriber, field.id);
        const text = say(field, value);
        const name = fieldName(words, field);
        const shown = text === '' ? <span className="text-3">{texts.none}</span> : <bdi>{text}</bdi>;
        return (
          <li key={field.id}>
            <bdi className="small text-2 value">{name}</bdi>
            {!mayEdit || !isCorrectable(field) ? (
              <span className="value">{shown}</span>
            ) : edited === field.id ? (
              <Editor
                field={field}
                value={value}
                typed={kept?.id === field.id ? kept.text : storedIn(field)}
                setTyped={(text) => {
                  const from = storedIn(field);
                  setKept(text === from ? null : { id: field.id, text, from });
                }}
                isRestored={isRestored}
                save={(next) => save(field, next)}
                store={store}
                close={() => edit(0)}
              />
            ) : (
              <button
                type="button"
                className="edit"
                title={texts.edit(name)}
                onClick={() => void editNext(field.id)}
              >
                <span className="value">{shown}</span>
                <span className="hidden">{texts.edit(name)}</span>
                <IconPencil size={14} className="text-3" aria-hidden />
              </button>
            )}
          </li>
        );
      })}
    </ul>
  );
  return (
    <>
      {isRestored && <DraftNote discard={() => edit(0)} />}
      {list}
    </>
  );
}

interface EditorProps {
  readonly field: Field;
  readonly value: unknown;
  readonly typed: string;
  readonly setTyped: (typed: string) => void;
  /** Whether it shows what was typed before a reload; it takes no focus then. */
  readonly isRestored: boolean;
  readonly save: (value: unknown) => Promise<void>;
  /** Gets what saves the typed value, and returns whether it is saved. */
  readonly store: RefObject<(() => Promise<boolean>) | undefined>;
  readonly close: () => void;
}

/** The field of one value. The focus goes back to the button that opened it, unless it is elsewhere by then. */
function Editor({ field, value, typed, setTyped, isRestored, save, store, close }: EditorProps) {
  const { words } = useWords();
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    const item = form.current?.closest('li');
    return () => {
      if (document.activeElement === document.body) item?.querySelector('button')?.focus();
    };
  }, []);
  const texts = words.subscribers;
  const refusal = useRefusal();
  const [error, setError] = useState('');
  const choices = choicesOf(words, field);
  const stored = async () => {
    if (typed === typedFrom(field, value)) return true;
    try {
      await save(valueFrom(field, typed));
      return true;
    } catch (failure) {
      setError(refusal(failure));
      return false;
    }
  };
  useEffect(() => {
    store.current = stored;
  });
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (await stored()) close();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') close();
  };
  const shared = {
    'aria-label': fieldName(words, field),
    autoFocus: !isRestored,
    error: error || undefined,
    onKeyDown,
  };
  return (
    <form ref={form} onSubmit={(event) => void submit(event)} noValidate>
      {choices ? (
        <NativeSelect {...shared} value={typed} onChange={(event) => setTyped(event.currentTarget.value)}>
          <option value="">{texts.none}</option>
          {choices.map((choice) => (
            <option key={choice.value} value={choice.value}>
              {choice.label}
            </option>
          ))}
        </NativeSelect>
      ) : (
        <TextInput
          {...shared}
          type={field.fieldType === 'Date' ? 'date' : 'text'}
          maxLength={field.length ?? undefined}
          inputMode={field.fieldType === 'Integer' ? 'numeric' : undefined}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      )}
      <ActionIcon type="submit" aria-label={texts.save} title={texts.save}>
        <IconCheck size={16} aria-hidden />
      </ActionIcon>
      <ActionIcon aria-label={texts.cancel} title={texts.cancel} onClick={close}>
        <IconX size={16} aria-hidden />
      </ActionIcon>
    </form>
  );
}
