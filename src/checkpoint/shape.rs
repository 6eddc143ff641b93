//! What are the saved types made of?
//!
//! A checkpoint is bytes without names: read into a type whose fields have changed, it would give
//! nonsense. So a type is asked, by way of its own `Deserialize`, for everything that it would read:
//! names of structs, fields and variants, and which number stands where. The hash of that list is in
//! every checkpoint, and must be the reader's.
//!
//! The list is found by feeding the type nothings (zeros, empty texts, lists of one) and writing down
//! what it asks for, as often as it takes until every variant of every enum has been asked for.

use std::collections::{BTreeMap, BTreeSet};

use serde::de::value::Error;
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, IntoDeserializer, MapAccess,
    SeqAccess, VariantAccess, Visitor,
};

/// A hash of all that a `T` is read from.
///
/// # Panics
/// If a `T` cannot be read from nothings: such a type is not plain data, and must not be saved.
pub fn shape_of<T: DeserializeOwned>() -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    for line in lines::<T>() {
        hasher.update(line.as_bytes());
        hasher.update(b"\n");
    }
    *hasher.finalize().as_bytes()
}

fn lines<T: DeserializeOwned>() -> BTreeSet<String> {
    let mut notes = Notes::default();
    loop {
        notes.incomplete = false;
        let asked = T::deserialize(Asked {
            notes: &mut notes,
            place: "".to_owned(),
        });
        if let Err(error) = asked {
            panic!("only plain data is saved, and this is not: {error}");
        }
        if !notes.incomplete {
            return notes.lines;
        }
    }
}

/// What has been found so far.
#[derive(Default)]
struct Notes {
    lines: BTreeSet<String>,
    /// For every enum, which of its variants are known to the last leaf.
    known: BTreeMap<&'static str, Vec<bool>>,
    /// Whether there are variants, below the place being looked at, that are not.
    incomplete: bool,
}

/// Somebody asks what stands at a place.
struct Asked<'a> {
    notes: &'a mut Notes,
    /// As `Host.3[]`: in what, where, and in how many lists.
    place: String,
}

impl<'a> Asked<'a> {
    fn note(&mut self, what: &str) {
        let line = format!("{}: {what}", self.place);
        self.notes.lines.insert(line);
    }

    fn within(self, suffix: &str) -> Asked<'a> {
        Asked {
            place: self.place + suffix,
            notes: self.notes,
        }
    }

    /// A list of so many values that stand at places of their own.
    fn fields(self, name: &str, count: usize) -> Fields<'a> {
        Fields {
            notes: self.notes,
            name: name.to_owned(),
            next: 0,
            count,
        }
    }
}

macro_rules! nothing {
    ($($ask:ident $visit:ident $($value:expr)?;)*) => {
        $(fn $ask<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Error> {
            self.note(stringify!($ask));
            visitor.$visit($($value)?)
        })*
    };
}

impl<'de> Deserializer<'de> for Asked<'_> {
    type Error = Error;

    nothing! {
        deserialize_any visit_unit;
        deserialize_ignored_any visit_unit;
        deserialize_bool visit_bool false;
        deserialize_i8 visit_i8 0;
        deserialize_i16 visit_i16 0;
        deserialize_i32 visit_i32 0;
        deserialize_i64 visit_i64 0;
        deserialize_i128 visit_i128 0;
        deserialize_u8 visit_u8 0;
        deserialize_u16 visit_u16 0;
        deserialize_u32 visit_u32 0;
        deserialize_u64 visit_u64 0;
        deserialize_u128 visit_u128 0;
        deserialize_f32 visit_f32 0.0;
        deserialize_f64 visit_f64 0.0;
        deserialize_char visit_char ' ';
        deserialize_str visit_str "";
        deserialize_string visit_str "";
        deserialize_bytes visit_bytes &[];
        deserialize_byte_buf visit_bytes &[];
        deserialize_identifier visit_u32 0;
        deserialize_unit visit_unit;
    }

    fn is_human_readable(&self) -> bool {
        false
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self.within("?"))
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        mut self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.note(name);
        visitor.visit_unit()
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        mut self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.note(name);
        visitor.visit_newtype_struct(Asked {
            notes: self.notes,
            place: format!("{name}.0"),
        })
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let place = self.place + "[]";
        visitor.visit_seq(Once {
            notes: self.notes,
            place: Some(place),
        })
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let place = self.place + "{}";
        visitor.visit_map(Once {
            notes: self.notes,
            place: Some(place),
        })
    }

    fn deserialize_tuple<V: Visitor<'de>>(
        mut self,
        count: usize,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.note(&format!("{count} values"));
        let name = self.place.clone();
        visitor.visit_seq(self.fields(&name, count))
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        mut self,
        name: &'static str,
        count: usize,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.note(&format!("{name}, {count} values"));
        visitor.visit_seq(self.fields(name, count))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        mut self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.note(&format!("{name} {{ {} }}", fields.join(", ")));
        visitor.visit_seq(self.fields(name, fields.len()))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        mut self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.note(&format!("{name} = {}", variants.join(" | ")));
        let Asked { notes, .. } = self;
        // Two enums of one name would be taken for one; their variants tell them apart.
        let known = |notes: &mut Notes| {
            let known = notes.known.entry(name).or_default();
            let longest = known.len().max(variants.len());
            known.resize(longest, false);
            known[..variants.len()].iter().position(|&known| !known)
        };
        let variant = known(notes).unwrap_or(0);
        let outside = std::mem::replace(&mut notes.incomplete, false);
        let value = visitor.visit_enum(Variant {
            notes,
            place: format!("{name}::{}", variants[variant]),
            number: variant as u32,
        })?;
        if !notes.incomplete
            && let Some(list) = notes.known.get_mut(name)
        {
            list[variant] = true;
        }
        notes.incomplete |= outside | known(notes).is_some();
        Ok(value)
    }
}

/// A list or a map with one entry.
struct Once<'a> {
    notes: &'a mut Notes,
    place: Option<String>,
}

impl<'de> SeqAccess<'de> for Once<'_> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Error> {
        let Some(place) = self.place.take() else {
            return Ok(None);
        };
        let notes = &mut *self.notes;
        seed.deserialize(Asked { notes, place }).map(Some)
    }
}

impl<'de> MapAccess<'de> for Once<'_> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Error> {
        let Some(place) = &self.place else {
            return Ok(None);
        };
        let place = format!("{place} key");
        let notes = &mut *self.notes;
        seed.deserialize(Asked { notes, place }).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        let place = self.place.take().unwrap_or_default() + " value";
        let notes = &mut *self.notes;
        seed.deserialize(Asked { notes, place })
    }
}

/// The fields of a struct or tuple.
struct Fields<'a> {
    notes: &'a mut Notes,
    name: String,
    next: usize,
    count: usize,
}

impl<'de> SeqAccess<'de> for Fields<'_> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Error> {
        if self.next == self.count {
            return Ok(None);
        }
        let place = format!("{}.{}", self.name, self.next);
        self.next += 1;
        let notes = &mut *self.notes;
        seed.deserialize(Asked { notes, place }).map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.count - self.next)
    }
}

/// One variant of an enum.
struct Variant<'a> {
    notes: &'a mut Notes,
    place: String,
    number: u32,
}

impl<'a, 'de> EnumAccess<'de> for Variant<'a> {
    type Error = Error;
    type Variant = Asked<'a>;

    fn variant_seed<V: DeserializeSeed<'de>>(
        self,
        seed: V,
    ) -> Result<(V::Value, Asked<'a>), Error> {
        let number = IntoDeserializer::<Error>::into_deserializer(self.number);
        let value = seed.deserialize(number)?;
        let asked = Asked {
            notes: self.notes,
            place: self.place,
        };
        Ok((value, asked))
    }
}

impl<'de> VariantAccess<'de> for Asked<'_> {
    type Error = Error;

    fn unit_variant(mut self) -> Result<(), Error> {
        self.note("nothing");
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Error> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'de>>(self, count: usize, visitor: V) -> Result<V::Value, Error> {
        let name = self.place.clone();
        visitor.visit_seq(self.fields(&name, count))
    }

    fn struct_variant<V: Visitor<'de>>(
        mut self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.note(&fields.join(", "));
        let name = self.place.clone();
        visitor.visit_seq(self.fields(&name, fields.len()))
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Deserialize)]
    #[allow(dead_code)]
    enum Weather {
        Fair,
        Foul { since: u64, why: Vec<Cause> },
    }

    #[derive(Deserialize)]
    #[allow(dead_code)]
    enum Cause {
        Rain(u32),
        Storm(f64),
    }

    mod later {
        use serde::Deserialize;

        #[derive(Deserialize)]
        #[allow(dead_code)]
        pub enum Weather {
            Fair,
            Foul { since: u64, why: Vec<Cause> },
        }

        #[derive(Deserialize)]
        #[allow(dead_code)]
        pub enum Cause {
            Rain(u32),
            Storm(f32),
        }
    }

    #[test]
    fn a_shape_reaches_into_every_variant() {
        let lines: Vec<String> = lines::<Option<Weather>>().into_iter().collect();
        assert_eq!(
            lines,
            [
                "?: Weather = Fair | Foul",
                "Cause::Rain: deserialize_u32",
                "Cause::Storm: deserialize_f64",
                "Weather::Fair: nothing",
                "Weather::Foul.0: deserialize_u64",
                "Weather::Foul.1[]: Cause = Rain | Storm",
                "Weather::Foul: since, why",
            ]
        );
    }

    #[test]
    fn another_number_deep_inside_is_another_shape() {
        assert_eq!(shape_of::<Weather>(), shape_of::<Weather>());
        assert_ne!(shape_of::<Weather>(), shape_of::<later::Weather>());
        assert_ne!(shape_of::<(u32, u64)>(), shape_of::<(u64, u32)>());
        assert_ne!(shape_of::<Vec<u8>>(), shape_of::<Option<u8>>());
    }
}
