import {
  NativeSelect,
  type NativeSelectProps,
  PasswordInput,
  type PasswordInputProps,
  Textarea,
  type TextareaProps,
  TextInput,
  type TextInputProps,
} from '@mantine/core';
import { createContext, use } from 'react';

/** Errors of fields, by the property of the service that a field fills. */
export type FieldErrors = Readonly<Record<string, string | undefined>>;

/** The errors of the form around a field. */
export const FieldErrorsContext = createContext<FieldErrors>({});

/** Which property a field fills, as the service names it in an error. */
interface OfProperty {
  readonly property: string;
}

/** What marks an input as the field of a property, and its error; nothing without a property. */
export function useFieldOf(property: string | undefined): FieldMarks {
  const errors = use(FieldErrorsContext);
  if (property === undefined) return {};
  const error = errors[property];
  return {
    'data-property': property,
    ...(error !== undefined && { error, errorProps: { role: 'alert' } }),
  };
}
interface FieldMarks {
  readonly 'data-property'?: string;
  readonly error?: string;
  readonly errorProps?: { readonly role: 'alert' };
}

/** A text of one line, with the error of its property below it. */
export function TextField({ property, ...props }: TextInputProps & OfProperty) {
  return <TextInput {...props} {...useFieldOf(property)} />;
}

/** A text of several lines, with the error of its property below it. */
export function LongTextField({ property, ...props }: TextareaProps & OfProperty) {
  return <Textarea {...props} {...useFieldOf(property)} />;
}

/** A choice, with the error of its property below it. */
export function SelectField({ property, ...props }: NativeSelectProps & OfProperty) {
  return <NativeSelect {...props} {...useFieldOf(property)} />;
}

/** A password, with the error of its property below it. */
export function PasswordField({ property, ...props }: PasswordInputProps & OfProperty) {
  return <PasswordInput {...props} {...useFieldOf(property)} />;
}
