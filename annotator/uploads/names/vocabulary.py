"""Common names in file names."""

from __future__ import annotations

from typing import Final

from annotator.exchange.formats.names import normal_form
from annotator.exchange.formats.published import PROMPT_GROUPS
from annotator.uploads.names.naming import KnownNames

_GENERATORS: Final = (
    "AuraFlow, CogView, CogView 3, CogView 4, DALL-E, DALL-E 2, DALL-E 3, DeepFloyd, DeepFloyd IF, Emu, "
    "Firefly, Adobe Firefly, Firefly 2, Firefly 3, Flux, Flux.1, Flux dev, Flux pro, Flux schnell, "
    "Flux.1 dev, Flux.1 pro, Flux.1 schnell, Gemini, GPT-4o, GPT image, GPT image 1, Hunyuan, HunyuanDiT, "
    "Ideogram, Ideogram 2, Ideogram 3, Imagen, Imagen 2, Imagen 3, Imagen 4, Kandinsky, Kandinsky 2, "
    "Kandinsky 3, Kolors, Leonardo, Midjourney, Midjourney v4, Midjourney v5, Midjourney v5.2, "
    "Midjourney v6, Midjourney v6.1, Midjourney v7, MJ, MJ v5, MJ v6, MJ v7, PixArt, PixArt alpha, "
    "PixArt sigma, Playground, Playground v2, Playground v2.5, Qwen image, Recraft, Recraft v3, Sana, SD, "
    "SD 1.4, SD 1.5, SD v1.5, SD 2, SD 2.1, SD v2.1, SD 3, SD 3.5, SDXL, SDXL 1.0, SDXL turbo, "
    "SDXL lightning, Seedream, Stable Cascade, Stable Diffusion, Stable Diffusion 1.4, "
    "Stable Diffusion 1.5, Stable Diffusion v1.5, Stable Diffusion 2, Stable Diffusion 2.1, "
    "Stable Diffusion 3, Stable Diffusion 3.5, Stable Diffusion XL, Würstchen"
)
GENERATORS: Final = frozenset(normal_form(name) for name in _GENERATORS.split(", "))
COMMON: Final = KnownNames(GENERATORS, frozenset(PROMPT_GROUPS))

_CONTAINERS: Final = (
    "images, image, img, imgs, pictures, picture, pics, photos, photo, files, data, dataset, output, "
    "outputs, out, results, result, generated, generations, samples, sample, export, upload, uploads, "
    "download, downloads, png, jpg, jpeg, webp, final, new, ai, seed, frame, copy, batch, part, "
    "bilder, bild, fotos, imagenes, imágenes, untitled, screenshot, comfyui"
)
# Folder names without meaning.
CONTAINERS: Final = frozenset(normal_form(name) for name in _CONTAINERS.split(", "))

_GROUPS: Final = "individual, individuals, single, singles, pair, pairs, group, groups, crowd, crowds"
GROUPS: Final = frozenset(normal_form(name) for name in _GROUPS.split(", "))
