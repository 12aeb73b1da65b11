"""Models from Hugging Face's ``config.json``: local files only, one module a family of architectures."""

from scalewall.workload.hugging_face.architectures import NOT_MODELLED, READERS
from scalewall.workload.hugging_face.importing import ImportedModel, import_config, read_config

__all__ = ["NOT_MODELLED", "READERS", "ImportedModel", "import_config", "read_config"]
