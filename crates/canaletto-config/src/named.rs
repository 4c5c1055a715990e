//! Things that configurations choose by name out of a list: fabrics and GC policies. Each states its name and sentence
//! in its own file.

use std::fmt::{self, Formatter};
use std::marker::PhantomData;

use serde::Deserializer;
use serde::de::{Error, Visitor};

/// One of a list.
pub trait Named: Copy + 'static {
    /// Every one, in the order of lists.
    const ALL: &'static [Self];
    /// Their names, in the same order.
    const NAMES: &'static [&'static str];
    /// The list in the schema.
    const LIST: &'static str;

    /// The name in configurations, on the command line and in results.
    fn name(self) -> &'static str;

    /// One sentence about it, with its source, for the schema and for lists.
    fn sentence(self) -> &'static str;
}

/// Reads a name.
///
/// # Errors
/// An unknown name, with the known ones.
pub fn by_name<'de, T: Named, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    struct Name<T>(PhantomData<T>);
    impl<T: Named> Visitor<'_> for Name<T> {
        type Value = T;
        fn expecting(&self, f: &mut Formatter<'_>) -> fmt::Result {
            write!(f, "one of `{}`", T::NAMES.join("`, `"))
        }
        fn visit_str<E: Error>(self, given: &str) -> Result<T, E> {
            let found = T::ALL.iter().find(|each| each.name() == given);
            found.copied().ok_or_else(|| E::unknown_variant(given, T::NAMES))
        }
    }
    deserializer.deserialize_str(Name(PhantomData))
}

/// Each name with its sentence.
#[cfg(test)]
pub fn name_schema<T: Named>() -> schemars::Schema {
    let name = |each: &T| serde_json::json!({ "type": "string", "const": each.name(), "description": each.sentence() });
    let names: Vec<serde_json::Value> = T::ALL.iter().map(name).collect();
    schemars::json_schema!({ "oneOf": names, "description": T::LIST })
}

/// An enum of named variants. Its doc comment describes the list in the schema.
macro_rules! named {
    (
        #[doc = $list:literal]
        $(#[$more:meta])*
        $Name:ident { $($Variant:ident => $name:literal, $sentence:literal;)+ }
    ) => {
        #[doc = $list]
        $(#[$more])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $Name {
            $(#[doc = $sentence] $Variant,)+
        }

        impl $crate::named::Named for $Name {
            const ALL: &'static [$Name] = &[$($Name::$Variant,)+];
            const NAMES: &'static [&'static str] = &[$($name,)+];
            const LIST: &'static str = $list.trim_ascii();

            fn name(self) -> &'static str {
                match self { $($Name::$Variant => $name,)+ }
            }

            fn sentence(self) -> &'static str {
                match self { $($Name::$Variant => $sentence,)+ }
            }
        }

        impl serde::Serialize for $Name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str($crate::named::Named::name(*self))
            }
        }

        impl<'de> serde::Deserialize<'de> for $Name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::named::by_name(deserializer)
            }
        }

        #[cfg(test)]
        impl schemars::JsonSchema for $Name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($Name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                $crate::named::name_schema::<$Name>()
            }
        }
    };
}
pub(crate) use named;
